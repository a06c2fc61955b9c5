r"""Robust centres: k-means whose furthest rows do not move a centre.

Trimmed k-means minimises

.. math:: \min_{c_1, \dots, c_k} \min_{|S| = \lceil (1 - \alpha) n \rceil}
          \sum_{i \in S} \min_j \lVert x_i - c_j \rVert^2,

over the centres and over which share :math:`1 - \alpha` of the rows counts [CuestaAlbertos1997]_.
Fewer than :math:`\alpha n` rows, wherever somebody puts them, cannot draw a centre after them.
Every row is labelled at the end, by its nearest centre.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin_min

__all__ = ["inner_rows", "trimmed_kmeans"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

N_STARTS = 20
MAX_STEPS = 100
SAMPLE_PER_CLUSTER = 50
"""Rows a start is drawn from."""


def trimmed_kmeans(X: Array, n_clusters: int, trim: float, seed: int) -> tuple[Labels, Array]:
    """Run trimmed k-means from many starts and keep the best.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
    n_clusters : int
    trim : float
        Share of the rows that may lie apart, alpha, between 0 and 1/2.
    seed : int

    Returns
    -------
    labels : ndarray of shape (n_rows,)
        Of every row, also of those that moved no centre.
    centers : ndarray of shape (n_clusters, n_dimensions)

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [900.0]])
    >>> labels, centers = trimmed_kmeans(X, 2, 0.2, seed=0)
    >>> sorted(centers.ravel().round(1).tolist())
    [0.1, 5.1]
    """
    rng = np.random.default_rng(seed)
    n_kept = max(n_clusters, int(np.ceil((1 - trim) * len(X))))
    inner = inner_rows(X, trim)
    inner = inner if len(inner) >= n_clusters else X
    best, best_loss = X[:n_clusters], np.inf
    for _ in range(N_STARTS):
        centers, loss = _concentrate(X, _start(inner, n_clusters, rng), n_kept)
        if loss < best_loss:
            best, best_loss = centers, loss
    labels, _ = pairwise_distances_argmin_min(X, best)
    return labels.astype(np.int64), best


def inner_rows(X: Array, trim: float) -> Array:
    """Return all rows but the share that lies furthest from the middle of every dimension.

    The middle is the median and the unit the median distance from it, which fewer than half of the
    rows cannot move.

    Examples
    --------
    >>> inner_rows(np.array([[1.0], [2.0], [3.0], [99.0]]), 0.25).ravel()
    array([1., 2., 3.])
    """
    away = np.abs(X - np.median(X, axis=0))
    unit = np.median(away, axis=0)
    distance = np.linalg.norm(away / np.where(unit > 0, unit, 1.0), axis=1)
    n_kept = max(1, int(np.ceil((1 - trim) * len(X))))
    return X[np.sort(np.argsort(distance, kind="stable")[:n_kept])]


def _start(X: Array, n_clusters: int, rng: np.random.Generator) -> Array:
    """Choose centres far from each other among a few rows."""
    size = min(len(X), SAMPLE_PER_CLUSTER * n_clusters)
    sample = X[rng.choice(len(X), size, replace=False)]
    centers, _ = kmeans_plusplus(sample, n_clusters, random_state=int(rng.integers(2**31)))
    return np.asarray(centers)


def _concentrate(X: Array, centers: Array, n_kept: int) -> tuple[Array, float]:
    """Assign, leave out the furthest rows, and take means, until nothing changes."""
    before = np.inf
    for _ in range(MAX_STEPS):
        labels, distance = pairwise_distances_argmin_min(X, centers)
        kept = np.argpartition(distance, n_kept - 1)[:n_kept]
        loss = float((distance[kept] ** 2).sum())
        if loss >= before * (1 - 1e-9):
            break
        before = loss
        sums = np.zeros_like(centers)
        np.add.at(sums, labels[kept], X[kept])
        sizes = np.bincount(labels[kept], minlength=len(centers))
        # A centre whose rows were all left out stays where it is, and the next start may do better.
        centers = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centers)
    return centers, before
