"""Rows that come later: peers order the clusters by their own columns, and ranks add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

__all__ = ["cluster_means", "predict_clusters", "rank_clusters"]

Labels = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]


def cluster_means(X: Array, labels: Labels) -> Array:
    """Return the mean of each cluster in a peer's own columns; it never leaves the peer.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    labels : ndarray of shape (n_rows,), int64
        Of 0, 1, ...; rows of -1 belong to no cluster.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)

    Examples
    --------
    >>> cluster_means(np.array([[0.0], [2.0], [9.0]]), np.array([0, 0, 1]))
    array([[1.],
           [9.]])
    """
    kept = labels >= 0
    counts = np.bincount(labels[kept]).astype(np.float64)
    sums = [np.bincount(labels[kept], column) for column in X[kept].T]
    return np.column_stack(sums) / counts[:, None]


def rank_clusters(X: Array, means: Array) -> Labels:
    """Return the place of every cluster in a peer's order of them for each row, 0 the nearest.

    Examples
    --------
    >>> rank_clusters(np.array([[1.0], [8.0]]), np.array([[0.0], [9.0], [4.0]]))
    array([[0, 2, 1],
           [2, 0, 1]])
    """
    order = np.argsort(cdist(X, means), axis=1, kind="stable")
    return np.argsort(order, axis=1, kind="stable")


def predict_clusters(views: Sequence[Array], means: Sequence[Array]) -> Labels:
    """Give each row the cluster with the lowest sum of ranks; ties by the nearest at all peers.

    Parameters
    ----------
    views, means : sequences of ndarray
        The columns of the rows, and the means of the clusters, at each peer.

    Examples
    --------
    >>> views = [np.array([[1.0]]), np.array([[5.0]])]
    >>> predict_clusters(views, [np.array([[0.0], [9.0]]), np.array([[6.0], [9.0]])])
    array([0])
    """
    pairs = list(zip(views, means, strict=True))
    ranks = np.sum([rank_clusters(X, own) for X, own in pairs], axis=0)
    # Distances only decide among clusters of the same rank, in units of each peer's own spread.
    apart = np.sum([_relative(cdist(X, own)) for X, own in pairs], axis=0)
    best = np.argmin(ranks + apart / (1.0 + len(pairs)), axis=1)
    return np.asarray(best, dtype=np.int64)


def _relative(distances: Array) -> Array:
    largest = distances.max(axis=1, keepdims=True)
    return np.asarray(distances / np.where(largest > 0, largest, 1.0))
