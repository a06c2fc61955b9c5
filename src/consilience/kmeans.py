r"""K-means, at the cost of one run over the rows.

K-means finds a local optimum, so it is run from several starts (k-means++) and the best is kept.
Up to 100,000 rows that is done with all rows and ten starts. Of more rows, a sample tells good
starts from bad ones just as well: thirty starts take ten steps each on 10,000 rows, the best
three go on to the end on 50,000, and the best of these is the one start from which all rows are
clustered. The samples grow with the number of clusters.

All rows are then gone through block by block, in order, so that they may lie in memory or in a file
that is mapped into it: the labels are the same, and nothing of the size of the table is held beside
it but the labels.

Notes
-----
What a sample may miss are clusters of few rows. One of a row in a thousand has about ten rows in
the first sample, and k-means++ finds it if it lies apart.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

__all__ = ["N_INIT", "SAMPLED_ABOVE", "choose_start", "kmeans", "lloyd", "nearest_centers"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

N_INIT = 10
"""Starts with all rows, up to ``SAMPLED_ABOVE`` of them."""
SAMPLED_ABOVE = 100_000
"""Rows above which the start is chosen on a sample."""
N_TRIED, STEPS, ROWS_TRIED = 30, 10, 10_000
"""Starts on the first sample, steps each may take, and rows of that sample."""
N_FINALISTS, ROWS_OF_FINALISTS = 3, 50_000
"""Starts that go on to the end, and rows of the second sample."""
ROWS_PER_CLUSTER = 400
"""Rows of the first sample for each cluster, if that is more; the second grows alike."""
MAX_ITER, TOLERANCE = 300, 1e-4
"""When a run ends: after so many steps, or when centres move less; as in scikit-learn."""
BLOCK_ROWS, BLOCK_CELLS = 16_384, 2**18
"""Rows worked on at a time, and distances: so many stay in the cache of a processor."""


def kmeans(X: Array, n_clusters: int, seed: int) -> tuple[Labels, Array]:
    """Run k-means from a good start (Alg. 1 of [Kawamata2025]_).

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
        It may be shifted and shifted back: pass what nobody else reads.
    n_clusters : int
    seed : int

    Returns
    -------
    labels : ndarray of shape (n_rows,), int64
    centers : ndarray of shape (n_clusters, n_dimensions)

    Examples
    --------
    >>> labels, centers = kmeans(np.array([[0.0], [0.2], [5.0], [5.2]]), 2, seed=0)
    >>> sorted(centers.ravel().round(1).tolist())
    [0.1, 5.1]
    """
    if len(X) > SAMPLED_ABOVE:
        return lloyd(X, choose_start(X, n_clusters, seed))
    model = KMeans(n_clusters, n_init=N_INIT, random_state=seed, copy_x=False)
    return model.fit_predict(X).astype(np.int64), model.cluster_centers_


def choose_start(X: Array, n_clusters: int, seed: int) -> Array:
    """Choose the centres from which to cluster all rows, by trying many on samples.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
        Only the rows of the samples are read.
    n_clusters : int
    seed : int

    Returns
    -------
    ndarray of shape (n_clusters, n_dimensions)

    Examples
    --------
    >>> X = np.repeat([[0.0], [5.0]], 200, axis=0)
    >>> sorted(choose_start(X, 2, seed=0).ravel().tolist())
    [0.0, 5.0]
    """
    rng = np.random.default_rng(seed)
    n_tried = max(ROWS_TRIED, ROWS_PER_CLUSTER * n_clusters)
    sample = _sample(X, n_tried, rng)
    tried = [
        KMeans(n_clusters, n_init=1, max_iter=STEPS, random_state=int(rng.integers(2**31)))
        for _ in range(N_TRIED)
    ]
    with warnings.catch_warnings():
        # Few different rows are no fault of the start: all of them become centres.
        warnings.simplefilter("ignore", ConvergenceWarning)
        finalists = sorted((model.fit(sample) for model in tried), key=_inertia)[:N_FINALISTS]
        sample = _sample(X, n_tried * ROWS_OF_FINALISTS // ROWS_TRIED, rng)
        runs = [
            KMeans(n_clusters, init=model.cluster_centers_, n_init=1).fit(sample)
            for model in finalists
        ]
    return np.asarray(min(runs, key=_inertia).cluster_centers_)


def lloyd(X: Array, start: Array) -> tuple[Labels, Array]:
    """Run k-means from one start, block by block.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
        Read in order, once a step.
    start : ndarray of shape (n_clusters, n_dimensions)

    Returns
    -------
    labels : ndarray of shape (n_rows,), int64
        The nearest of the centres.
    centers : ndarray of shape (n_clusters, n_dimensions)
        A centre that is nearest to no row stays where it is.

    Examples
    --------
    >>> labels, centers = lloyd(np.array([[0.0], [1.0], [8.0], [9.0]]), np.array([[0.0], [2.0]]))
    >>> labels.tolist(), centers.ravel().tolist()
    ([0, 0, 1, 1], [0.5, 8.5])
    """
    # About the middle of the centres nothing is lost far from the origin.
    middle = start.mean(axis=0)
    labels, centers = np.full(len(X), -1, dtype=np.int64), start - middle
    for _ in range(MAX_ITER):
        moved, step = _step(X, middle, centers, labels)
        if not moved:
            break
        shift, centers = float(((step.means - centers) ** 2).sum()), step.means
        if shift <= TOLERANCE * step.variance:
            labels = nearest_centers(X, centers + middle)
            break
    return labels, centers + middle


def nearest_centers(X: Array, centers: Array) -> Labels:
    """Return which centre is nearest to each row.

    Examples
    --------
    >>> nearest_centers(np.array([[1.0], [8.0]]), np.array([[9.0], [0.0]]))
    array([1, 0])
    """
    middle = centers.mean(axis=0)
    labels = np.empty(len(X), dtype=np.int64)
    for inside, block in _blocks(X, middle, len(centers)):
        labels[inside] = _nearest(block, centers - middle)
    return labels


class _Step(NamedTuple):
    """The means of the clusters, and the mean variance of a column."""

    means: Array
    variance: float


def _step(X: Array, middle: Array, centers: Array, labels: Labels) -> tuple[bool, _Step]:
    """Label every row by its nearest centre; tell whether a label changed, and the new means."""
    sums, sizes = np.zeros_like(centers), np.zeros(len(centers))
    squares, moved = 0.0, False
    for inside, block in _blocks(X, middle, len(centers)):
        nearest = _nearest(block, centers)
        moved = moved or not np.array_equal(nearest, labels[inside])
        labels[inside] = nearest
        sums += _indicators(nearest, len(centers)) @ block
        sizes += np.bincount(nearest, minlength=len(centers))
        squares += float(np.vdot(block, block))
    means = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centers)
    mean = sums.sum(axis=0) / len(X)
    return moved, _Step(means, (squares / len(X) - float(mean @ mean)) / X.shape[1])


def _blocks(X: Array, middle: Array, n_centers: int) -> Iterator[tuple[slice, Array]]:
    n = max(1, min(BLOCK_ROWS, BLOCK_CELLS // n_centers))
    for start in range(0, len(X), n):
        inside = slice(start, start + n)
        yield inside, X[inside] - middle


def _nearest(X: Array, centers: Array) -> npt.NDArray[np.intp]:
    """Return the nearest centre c of each row x, of which x'c - c'c / 2 is largest."""
    closeness = X @ centers.T
    closeness -= (centers**2).sum(axis=1) / 2
    return np.asarray(closeness.argmax(axis=1))


def _indicators(labels: npt.NDArray[np.intp], n_clusters: int) -> csc_array:
    """Return the matrix that adds up the rows of each cluster."""
    n = len(labels)
    return csc_array((np.ones(n), labels, np.arange(n + 1)), shape=(n_clusters, n))


def _sample(X: Array, n_rows: int, rng: np.random.Generator) -> Array:
    """Take rows at random, in their order."""
    if len(X) <= n_rows:
        return np.array(X)
    return np.array(X[np.sort(rng.choice(len(X), n_rows, replace=False, shuffle=False))])


def _inertia(model: KMeans) -> float:
    return float(model.inertia_)
