"""Private centres of rows: noisy moments, then noisy Lloyd steps from a noisy Gaussian."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
import numpy.typing as npt

from consilience.mapped import in_blocks
from consilience.privacy.concentrated import ConcentratedNoise

__all__ = ["Centers", "private_centers"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

GRID = 2**16
"""Coordinates are whole multiples of the radius divided by this, so that sums are exact."""
SHARES = {"rows": 0.01, "mean": 0.05, "radius": 0.02, "moments": 0.15, "steps": 0.77}
"""Of the allowance; a test adds them up."""
COUNT_SHARE = 0.15
"""Of a step, for how many rows each centre has; the rest is for where they lie."""
N_STEPS = 2
CELL_NOISE = 0.5
"""So many times the size of a cell may its noise be: the number of centres follows from it."""
N_RINGS, WITHIN = 64, 0.7
MIN_ROWS = 20
MAX_CENTERS = 256
BLOCK = 2**12
"""Rows that are looked at together: sums of so many are exact, and take little memory."""


@dataclass(frozen=True, eq=False)
class Centers:
    """What leaves: centres, rows each stands for, and the standard deviation of these counts."""

    centers: Array
    weights: Array
    errors: Array


def private_centers(
    X: Array,
    radius: float,
    noise: ConcentratedNoise,
    *,
    scale: Callable[[Array], Array] = np.asarray,
    rows_per_person: int = 1,
    min_rows: int = 0,
    n_most: int = MAX_CENTERS,
) -> Centers:
    r"""Summarise rows by centres that cost the allowance of `noise`, and no more.

    1. How many rows there are, and their mean.
    2. A radius around the mean within which seven in ten rows lie; those beyond are moved onto it
       in what follows.
    3. Second moments about the mean. Directions that stand out from the noise make a Gaussian.
    4. Starts drawn from that Gaussian, each direction with the variance that as many points would
       keep of it (reverse water-filling, Theorem 10.3.3 of [Cover2006]_).
    5. Lloyd steps: every row goes to its nearest centre; how many rows a centre has, and where
       they lie relative to it, is released with noise. Each centre is then drawn towards the mean
       by as much as noise outweighs the Gaussian in each direction (Wiener's filter).

    The number of centres follows from n, d and the allowance: as many as leave the noise of a
    centre half the size of its cell.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Read in blocks, some ten times; no copy of it is made.
    radius : float
        Public.
    noise : ConcentratedNoise
    scale : callable
        Brings each row of a block to its units, in which it lies no farther than `radius` from 0.
    rows_per_person : int
        Sensitivities are so many times as large.
    min_rows : int
        A centre leaves only if its noisy count is larger by four standard deviations of the noise.
    n_most : int
        Centres at most.

    Notes
    -----
    Neighbouring relation: one person's rows added or removed. Sensitivities, composition and the
    guarantee are in ``docs/proofs/private-summaries.md``. All else is
    computed from what `_Rows` released.
    """
    rows = _Rows(X, scale, radius, noise, rows_per_person)
    counted = rows.count(SHARES["rows"])
    n = max(counted, float(MIN_ROWS))
    mean = rows.total(radius, SHARES["mean"]) / n
    mean *= min(1.0, radius / max(float(np.linalg.norm(mean)), 1e-12))
    rows.move(mean)
    reach = rows.reach(n, 2 * radius, SHARES["radius"])
    variances, axes = _gaussian(rows, n, reach)
    k = _n_centers(n, X.shape[1], noise.rho * SHARES["steps"] / rows_per_person**2, n_most)
    # Starts need no secrecy: from the released mean they are others at every party.
    seed = np.frombuffer(mean.tobytes(), dtype=np.uint64)
    starts = np.random.default_rng(seed).normal(size=(k, X.shape[1]))
    centers = starts * np.sqrt(_water_fill(variances, k)) @ axes.T
    share = SHARES["steps"] / N_STEPS
    for _ in range(N_STEPS):
        counts, sums, count_error, sum_error = rows.cells(centers, reach, share)
        held = np.maximum(counts, 2 * count_error)
        moved = (centers + sums / held[:, None]) @ axes
        moved *= variances / (variances + (sum_error / held[:, None]) ** 2 + 1e-12)
        full = counts > 2 * count_error
        centers = np.where(full[:, None], moved @ axes.T, centers)
    kept = full & (counts >= min_rows + 4 * count_error * bool(min_rows))
    if not kept.any():  # too few rows for any centre: the mean stands for all of them
        error = rows.scale(1, SHARES["rows"])
        return Centers(mean[None], np.array([max(counted, 1.0)]), np.array([error]))
    # What the others stood for is shared out, so that every institution keeps its weight.
    share = n / counts[kept].sum()
    return Centers(
        centers[kept] + mean, share * counts[kept], share * np.full(kept.sum(), count_error)
    )


class _Rows:
    """The private rows, and the few questions about them that are answered with noise."""

    def __init__(
        self,
        X: Array,
        scale: Callable[[Array], Array],
        radius: float,
        noise: ConcentratedNoise,
        rows_per_person: int,
    ) -> None:
        self._X, self._scale, self._noise, self._multiple = X, scale, noise, rows_per_person
        self._center, self._unit = np.zeros(X.shape[1]), radius / GRID

    def scale(self, sensitivity: float, share: float) -> float:
        """Return the standard deviation of a released number."""
        return self._noise.scale(self._multiple * sensitivity, share)

    def move(self, center: Array) -> None:
        """Measure rows from a released centre from now on."""
        self._center = center

    def count(self, share: float) -> float:
        """Release how many rows there are."""
        return float(self._add(np.array([len(self._X)]), 1, share)[0])

    def total(self, reach: float, share: float) -> Array:
        """Release the sum of the rows, each no longer than `reach`."""
        longest, total = int(reach / self._unit), np.zeros(self._X.shape[1], dtype=np.int64)
        for whole in self._blocks():
            total += _shorten(whole, longest).sum(axis=0).astype(np.int64)
        return self._add(total, longest, share) * self._unit

    def reach(self, n: float, farthest: float, share: float) -> float:
        """Release in which ring every row lies, and return where seven in ten of them end."""
        edges, found = np.linspace(0, farthest, N_RINGS + 1)[1:], np.zeros(N_RINGS, dtype=np.int64)
        for whole in self._blocks():
            rings = np.searchsorted(edges[:-1], _lengths(whole) * self._unit)
            found += np.bincount(rings, minlength=N_RINGS)
        beyond = np.cumsum(self._add(found, 1, share)) >= WITHIN * n
        return float(edges[int(beyond.argmax())] if beyond.any() else edges[-1])

    def moments(self, reach: float, share: float) -> Array:
        """Release the sum of the outer products of the rows, each no longer than `reach`."""
        d, longest = self._X.shape[1], int(reach / self._unit)
        products = np.zeros((d, d), dtype=np.int64)
        for whole in self._blocks():
            short = _shorten(whole, longest)
            products += (short.T @ short).astype(np.int64)
        upper = np.triu_indices(d)
        noisy = self._add(products[upper], longest**2, share) * self._unit**2
        found = np.zeros((d, d))
        found[upper] = found.T[upper] = noisy
        return found

    def cells(
        self, centers: Array, reach: float, share: float
    ) -> tuple[Array, Array, float, float]:
        """Release how many rows lie nearest to each centre, and the sum of their ways from it.

        Returns
        -------
        counts : ndarray of shape (n_centers,)
        ways : ndarray of shape (n_centers, n_features)
        count_error, way_error : float
            Standard deviations of the noise on them.
        """
        longest, k = int(reach / self._unit), len(centers)
        counts, ways = np.zeros(k, dtype=np.int64), np.zeros(centers.shape, dtype=np.int64)
        places = np.rint(centers / self._unit)
        for whole in self._blocks():
            nearest = ((places**2).sum(axis=1) - 2 * whole @ places.T).argmin(axis=1)
            counts += np.bincount(nearest, minlength=k)
            short = _shorten(whole - places[nearest], longest)
            for j, column in enumerate(short.T):
                ways[:, j] += np.bincount(nearest, column, minlength=k).astype(np.int64)
        for_counts, for_ways = share * COUNT_SHARE, share * (1 - COUNT_SHARE)
        return (
            self._add(counts, 1, for_counts),
            self._add(ways, longest, for_ways) * self._unit,
            self.scale(1, for_counts),
            self.scale(longest * self._unit, for_ways),
        )

    def _blocks(self) -> Iterator[Array]:
        """Yield rows in whole units: what is computed of a row then depends on no other row.

        Sums of rounded products would, by their order; those of whole numbers are exact.
        """
        for block in in_blocks(self._X, BLOCK):
            yield np.rint((self._scale(block) - self._center) / self._unit)

    def _add(self, values: npt.NDArray[np.int64], sensitivity: int, share: float) -> Array:
        noisy = self._noise.add(values, sensitivity=self._multiple * sensitivity, share=share)
        return noisy.astype(np.float64)


def _lengths(whole: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", whole, whole)))


def _shorten(whole: Array, longest: int) -> Array:
    """Move rows that are longer than `longest` onto that length, or a little below.

    Examples
    --------
    >>> _shorten(np.array([[30.0, 40.0], [3.0, 4.0]]), 10)
    array([[6., 8.],
           [3., 4.]])
    """
    factors = np.minimum(1.0, longest / np.maximum(_lengths(whole), 1.0))
    short = np.trunc(whole * factors[:, None])
    # The factors are rounded, the lengths of whole numbers are not: who is too long counts as 0.
    short[np.einsum("ij,ij->i", short, short) > longest**2] = 0.0
    return np.asarray(short)


def _gaussian(rows: _Rows, n: float, reach: float) -> tuple[Array, Array]:
    """Return variances and axes of the rows; directions that do not stand out have variance 0."""
    S = rows.moments(reach, SHARES["moments"]) / n
    error = rows.scale(reach**2, SHARES["moments"]) / n
    variances, axes = np.linalg.eigh(S)
    stands_out = variances > error * sqrt(len(S))
    return np.where(stands_out, variances, 0.0), axes


def _n_centers(n: float, d: int, rho: float, n_most: int) -> int:
    """Return as many centres as leave the noise of each a share of the size of its cell."""
    return int(np.clip(CELL_NOISE * n * sqrt(2 * rho / (d * N_STEPS)), 2, min(n_most, MAX_CENTERS)))


def _water_fill(variances: Array, n_points: int) -> Array:
    """Return what `n_points` points keep of the variances: those above a level, less the level.

    Examples
    --------
    >>> _water_fill(np.array([4.0, 1.0, 0.0]), 2)
    array([3., 0., 0.])
    """
    logs = np.log(np.sort(variances[variances > 0])[::-1])
    level = 0.0
    for m in range(len(logs), 0, -1):
        found = (float(logs[:m].sum()) - 2 * log(n_points)) / m
        if found < logs[m - 1]:
            level = exp(found)
            break
    return np.maximum(variances - level, 0.0)
