"""Private centres of rows: noisy moments, then noisy Lloyd steps from a noisy Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
import numpy.typing as npt

from consilience.privacy.concentrated import ConcentratedNoise

__all__ = ["Centers", "private_centers"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

GRID = 2**16
"""Coordinates are whole multiples of the radius divided by this, so that sums are exact."""
SHARES = {"rows": 0.01, "mean": 0.1, "radius": 0.02, "moments": 0.15, "steps": 0.72}
"""Of the allowance; a test adds them up."""
COUNT_SHARE = 0.15
"""Of a step, for how many rows each centre has; the rest is for where they lie."""
N_STEPS = 2
CELL_NOISE = 0.3
"""So many times the size of a cell may its noise be: the number of centres follows from it."""
N_RINGS, WITHIN = 64, 0.9
MIN_ROWS = 20


@dataclass(frozen=True, eq=False)
class Centers:
    """What leaves: centres, rows each stands for, and the standard deviation of these counts."""

    centers: Array
    weights: Array
    errors: Array


def private_centers(
    Z: Array,
    radius: float,
    noise: ConcentratedNoise,
    *,
    rows_per_person: int = 1,
    min_rows: int = 0,
    n_most: int = 512,
) -> Centers:
    r"""Summarise rows by centres that cost the allowance of `noise`, and no more.

    1. How many rows there are, and their mean.
    2. A radius around the mean within which nine in ten rows lie; those beyond are moved onto it
       in what follows.
    3. Second moments about the mean. Directions that stand out from the noise make a Gaussian.
    4. Starts drawn from that Gaussian, each direction with the variance that as many points would
       keep of it (reverse water-filling, Theorem 10.3.3 of [Cover2006]_).
    5. Lloyd steps: every row goes to its nearest centre; how many rows a centre has, and where
       they lie relative to it, is released with noise. Each centre is then drawn towards the mean
       by as much as noise outweighs the Gaussian in each direction (Wiener's filter).

    The number of centres follows from n, d and the allowance: as many as leave the noise of a
    centre three tenths of the size of its cell.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features)
        Rows no farther than `radius` from 0.
    radius : float
        Public.
    noise : ConcentratedNoise
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
    rows = _Rows(Z, radius, noise, rows_per_person)
    n = max(float(rows.count(SHARES["rows"])), MIN_ROWS)
    mean = rows.total(radius, SHARES["mean"]) / n
    mean *= min(1.0, radius / max(float(np.linalg.norm(mean)), 1e-12))
    rows.move(mean)
    reach = rows.reach(n, 2 * radius, SHARES["radius"])
    variances, axes = _gaussian(rows, n, reach)
    k = _n_centers(n, Z.shape[1], noise.rho * SHARES["steps"] / rows_per_person**2, n_most)
    # Starts need no secrecy, only to be the same for the same released numbers.
    starts = np.random.default_rng(0).normal(size=(k, Z.shape[1]))
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
        return Centers(mean[None], np.array([n]), np.array([rows.scale(1, SHARES["rows"])]))
    weights = counts[kept] * (n / counts[kept].sum())
    return Centers(centers[kept] + mean, weights, np.full(kept.sum(), count_error))


class _Rows:
    """The private rows, and the few questions about them that are answered with noise."""

    def __init__(
        self, Z: Array, radius: float, noise: ConcentratedNoise, rows_per_person: int
    ) -> None:
        self._Z, self._noise, self._multiple = Z, noise, rows_per_person
        self._unit = radius / GRID

    def scale(self, sensitivity: float, share: float) -> float:
        """Return the standard deviation of a released number."""
        return self._noise.scale(self._multiple * sensitivity, share)

    def move(self, center: Array) -> None:
        """Measure rows from a released centre from now on."""
        self._Z = self._Z - center

    def count(self, share: float) -> int:
        """Release how many rows there are: one person changes it by `rows_per_person`."""
        return int(self._add(np.array([len(self._Z)]), 1, share)[0])

    def total(self, reach: float, share: float) -> Array:
        """Release the sum of the rows, each no longer than `reach`."""
        whole, longest = self._whole(self._Z, reach)
        return self._add(whole.sum(axis=0), longest, share) * self._unit

    def reach(self, n: float, farthest: float, share: float) -> float:
        """Release in which ring every row lies, and return where nine in ten of them end."""
        edges = np.linspace(0, farthest, N_RINGS + 1)[1:]
        rings = np.searchsorted(edges[:-1], np.linalg.norm(self._Z, axis=1))
        noisy = self._add(np.bincount(rings, minlength=N_RINGS), 1, share)
        beyond = np.cumsum(noisy) >= WITHIN * n
        return float(edges[int(beyond.argmax())] if beyond.any() else edges[-1])

    def moments(self, reach: float, share: float) -> Array:
        """Release the sum of the outer products of the rows, each no longer than `reach`."""
        whole, longest = self._whole(self._Z, reach)
        upper = np.triu_indices(whole.shape[1])
        noisy = self._add((whole.T @ whole)[upper], longest**2, share)
        found = np.zeros((whole.shape[1],) * 2)
        found[upper] = found.T[upper] = noisy * self._unit**2
        return found

    def cells(
        self, centers: Array, reach: float, share: float
    ) -> tuple[Array, Array, float, float]:
        """Release how many rows lie nearest to each centre, and the sum of their ways from it."""
        squares = (centers**2).sum(axis=1) - 2 * self._Z @ centers.T
        nearest = squares.argmin(axis=1)
        whole, longest = self._whole(self._Z - centers[nearest], reach)
        sums = np.zeros(centers.shape, dtype=np.int64)
        np.add.at(sums, nearest, whole)
        for_counts, for_sums = share * COUNT_SHARE, share * (1 - COUNT_SHARE)
        counts = self._add(np.bincount(nearest, minlength=len(centers)), 1, for_counts)
        ways = self._add(sums, longest, for_sums) * self._unit
        errors = self.scale(1, for_counts), self.scale(longest * self._unit, for_sums)
        return counts.astype(np.float64), ways, *errors

    def _add(self, values: npt.NDArray[np.int64], sensitivity: int, share: float) -> Array:
        noisy = self._noise.add(values, sensitivity=self._multiple * sensitivity, share=share)
        return noisy.astype(np.float64)

    def _whole(self, Z: Array, reach: float) -> tuple[npt.NDArray[np.int64], int]:
        """Shorten rows to `reach` and cut them to whole units: none is longer than what returns."""
        longest = int(reach / self._unit)
        lengths = np.linalg.norm(Z, axis=1) / self._unit
        shorter = np.minimum(1.0, longest / np.maximum(lengths, 1e-300))
        whole = np.trunc(Z * (shorter / self._unit)[:, None]).astype(np.int64)
        # Cutting shortens, but the lengths above were rounded: here they are exact.
        whole[np.einsum("ij,ij->i", whole, whole) > longest**2] = 0
        return whole, longest


def _gaussian(rows: _Rows, n: float, reach: float) -> tuple[Array, Array]:
    """Return variances and axes of the rows; directions that do not stand out have variance 0."""
    S = rows.moments(reach, SHARES["moments"]) / n
    error = rows.scale(reach**2, SHARES["moments"]) / n
    variances, axes = np.linalg.eigh(S)
    stands_out = variances > error * sqrt(len(S))
    return np.where(stands_out, variances, 0.0), axes


def _n_centers(n: float, d: int, rho: float, n_most: int) -> int:
    """Return as many centres as leave the noise of each a share of the size of its cell."""
    return int(np.clip(CELL_NOISE * n * sqrt(2 * rho / (d * N_STEPS)), 2, n_most))


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
