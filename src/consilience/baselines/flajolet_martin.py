"""Private Flajolet-Martin sketches: how large sets of rows are, without showing who is in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

__all__ = ["PhantomSettings", "estimate_size", "phantom_settings", "sketch_memberships"]

Array = npt.NDArray[np.float64]
Sketches = npt.NDArray[np.uint8]
BLOCK = 2**24


class PhantomSettings:
    """How a sketch is made private: phantom elements, and a least value.

    Parameters
    ----------
    n_phantoms : int
        Elements that do not exist, added to each set.
    least : int
        No sketch is below it.
    """

    def __init__(self, n_phantoms: int, least: int) -> None:
        self.n_phantoms, self.least = n_phantoms, least


def phantom_settings(epsilon: float, delta: float, n_sketches: int) -> PhantomSettings:
    r"""Set the phantoms for :math:`(\epsilon, \delta)` over all sketches together.

    Neighbouring data sets differ in one row; each sketch is
    :math:`\epsilon_1 = \epsilon / (4 \sqrt{m \ln(1/\delta)})`-private with
    :math:`k_p = \lceil 1/(e^{\epsilon_1} - 1) \rceil` phantoms and least value
    :math:`\lceil -\log_2(1 - e^{-\epsilon_1}) \rceil`; m of them compose to
    :math:`(\epsilon, \delta)` (the private sketch of [Smith2020]_, as used by [Li2023]_).

    Examples
    --------
    >>> settings = phantom_settings(1.0, 1e-3, 64)
    >>> settings.n_phantoms, settings.least
    (84, 7)
    """
    each = epsilon / (4 * math.sqrt(n_sketches * math.log(1 / delta)))
    return PhantomSettings(
        math.ceil(1 / math.expm1(each)), math.ceil(-math.log2(-math.expm1(-each)))
    )


def _levels(n_sketches: int, n_rows: int, public_seed: int) -> Iterator[Sketches]:
    """Hash every row to a level >= 1 with probability 2**-level, the same at all parties."""
    hashes = np.random.Generator(np.random.Philox(public_seed))
    step = max(1, BLOCK // max(n_rows, 1))
    if step >= n_sketches:
        yield _one_block(n_sketches, n_rows, public_seed)
        return
    for start in range(0, n_sketches, step):
        yield _draw(hashes, min(step, n_sketches - start), n_rows)


@lru_cache(maxsize=1)
def _one_block(n_sketches: int, n_rows: int, public_seed: int) -> Sketches:
    """Keep hashes that fit in memory: the parties of a run, and runs, ask for the same."""
    return _draw(np.random.Generator(np.random.Philox(public_seed)), n_sketches, n_rows)


def _draw(hashes: np.random.Generator, n_sketches: int, n_rows: int) -> Sketches:
    bits = hashes.integers(1, 2**62, size=(n_sketches, n_rows))
    # The lowest set bit of a random number is at place l with probability 2**-(l + 1).
    return (np.frexp((bits & -bits).astype(np.float64))[1]).astype(np.uint8)


def sketch_memberships(
    labels: npt.NDArray[np.int64],
    n_sets: int,
    n_sketches: int,
    public_seed: int,
    settings: PhantomSettings,
    noise: np.random.Generator,
) -> Sketches:
    """Sketch each set of a partition of the rows.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,), int64
        The set of each row.
    n_sets : int
    n_sketches : int
        m.
    public_seed : int
        Of the hash functions, which all parties share.
    settings : PhantomSettings
    noise : Generator
        For the phantoms; seeded by the operating system, never with a number others know: phantoms
        anyone can draw again protect nobody.

    Returns
    -------
    ndarray of shape (n_sketches, n_sets), uint8

    Examples
    --------
    >>> labels, noise = np.zeros(1000, dtype=np.int64), np.random.default_rng(0)
    >>> sketches = sketch_memberships(labels, 2, 500, 0, PhantomSettings(0, 0), noise)
    >>> bool(abs(estimate_size(sketches)[0] - 1000) < 150)
    True
    """
    sketches = np.full((n_sketches, n_sets), settings.least, dtype=np.uint8)
    order = np.argsort(labels, kind="stable")
    present, starts = np.unique(labels[order], return_index=True)
    row = 0
    for levels in _levels(n_sketches, len(labels), public_seed):
        part = sketches[row : row + len(levels)]
        if len(present):
            tops = np.maximum.reduceat(levels[:, order], starts, axis=1)
            part[:, present] = np.maximum(part[:, present], tops)
        row += len(levels)
    if settings.n_phantoms:
        # The maximum of k geometric draws, by inverting its distribution (1 - 2**-l)**k.
        uniform = noise.random(size=sketches.shape)
        tops = np.ceil(-np.log2(-np.expm1(np.log(uniform) / settings.n_phantoms)))
        sketches = np.maximum(sketches, np.clip(tops, 1, 62).astype(np.uint8))
    return sketches


def estimate_size(sketches: Sketches) -> Array:
    """Estimate the sizes of the sketched sets, phantoms included (harmonic mean).

    Parameters
    ----------
    sketches : ndarray of shape (n_sketches, n_sets), uint8
    """
    m = len(sketches)
    correction = 0.7213 / (1 + 1.079 / m)
    return np.asarray(m / np.exp2(-sketches.astype(np.float64)).sum(axis=0) * correction)
