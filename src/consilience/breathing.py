r"""Better optima of k-means: centres are added where rows lie far, and taken away where near.

K-means moves centres a little at a time, so two that share a cluster never leave it for one that
has none. *Breathing* [Fritzke2020]_ lets them: breathe in, put :math:`m` more centres beside those
whose rows lie farthest, and run k-means; breathe out, take away the :math:`m` that are missed
least, and run it again. What is no better is given up, and :math:`m` is one less; at 0 it ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

__all__ = ["Optimum", "breathe"]

Array = npt.NDArray[np.float64]

DEPTH, NEAR = 5, 1.1
"""Centres added at first, and how near, in mean distances to the nearest, is a neighbour."""
BETTER, OFFSET = 1e-4, 0.01
"""The share of inertia that counts as better, and how far from another a new centre begins."""
CELLS = 2**20
"""Distances computed at a time."""


class Optimum(NamedTuple):
    """Centres, and the inertia of the rows about them."""

    inertia: float
    centers: Array


def breathe(
    X: Array, weights: Array, start: Array, rng: np.random.Generator, *, max_iter: int
) -> Optimum:
    """Find better centres of weighted rows.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
    weights : ndarray of shape (n_rows,)
    start : ndarray of shape (n_clusters, n_dimensions)
    rng : Generator
    max_iter : int
        Steps of k-means after every breath.

    Notes
    -----
    Alg. 1 of the paper, but for the first run, which starts where it is told to, and for the steps
    of k-means, which end after ``max_iter``: what is compared are short runs.

    Examples
    --------
    >>> X = np.add.outer([0.0, 10.0, 20.0], np.linspace(-1, 1, 21)).reshape(-1, 1)
    >>> bad = np.array([[-0.5], [0.5], [15.0]])     # two share a cluster, and two share a centre
    >>> found = breathe(X, np.ones(63), bad, np.random.default_rng(0), max_iter=10)
    >>> sorted(found.centers.ravel().round(6).tolist())
    [0.0, 10.0, 20.0]
    """
    best, depth = _run(X, weights, start, max_iter), min(DEPTH, len(start))
    while depth > 0:
        found = _two_nearest(X, best.centers)
        errors = np.bincount(found.which, found.first * weights, minlength=len(start))
        far = best.centers[np.argsort(errors)[-depth:]]
        spread = np.sqrt(best.inertia / weights.sum() / X.shape[1])
        more = far + OFFSET * spread * rng.normal(size=far.shape)
        wider = _run(X, weights, np.vstack([best.centers, more]), max_iter).centers
        found = _two_nearest(X, wider)
        costs = (found.second - found.first) * weights
        missed = np.bincount(found.which, costs, minlength=len(wider)).astype(np.float64)
        after = _run(X, weights, np.delete(wider, _least(missed, wider, depth), axis=0), max_iter)
        if after.inertia < (1 - BETTER) * best.inertia:
            best = after
        else:
            depth -= 1
    return best


def _run(X: Array, weights: Array, start: Array, max_iter: int) -> Optimum:
    model = KMeans(len(start), init=start, n_init=1, max_iter=max_iter)
    model.fit(X, sample_weight=weights)
    return Optimum(float(model.inertia_), model.cluster_centers_)


class _Nearest(NamedTuple):
    """For each row its nearest centre, and the squared distances of the nearest two."""

    which: npt.NDArray[np.intp]
    first: Array
    second: Array


def _two_nearest(X: Array, centers: Array) -> _Nearest:
    which = np.empty(len(X), dtype=np.intp)
    first, second = np.zeros(len(X)), np.zeros(len(X))
    n = max(1, CELLS // len(centers))
    for start in range(0, len(X), n):
        inside = slice(start, start + n)
        squares = (X[inside] ** 2).sum(axis=1)[:, None] - 2 * X[inside] @ centers.T
        squares += (centers**2).sum(axis=1)
        which[inside] = squares.argmin(axis=1)
        if len(centers) > 1:
            squares.partition(1, axis=1)
            second[inside] = squares[:, 1]
        first[inside] = squares[:, 0]
    return _Nearest(which, np.maximum(first, 0), np.maximum(second, 0))


def _least(missed: Array, centers: Array, n: int) -> list[int]:
    """Return which n centres are missed least, but not two neighbours where others are left."""
    squares = ((centers[:, None] - centers) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    near = squares < (NEAR * np.sqrt(squares.min(axis=1)).mean()) ** 2
    kept = np.zeros(len(centers), dtype=bool)
    gone: list[int] = []
    for k in np.argsort(missed):
        if len(gone) < n and not kept[k]:
            gone.append(int(k))
            if (kept | near[k]).sum() + n <= len(centers):
                kept |= near[k]
    rest = [int(k) for k in np.argsort(missed) if int(k) not in gone]
    return gone + rest[: n - len(gone)]
