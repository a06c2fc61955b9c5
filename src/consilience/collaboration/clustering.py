"""Clustering of the collaboration representation: k-means, spectral, or a clusterer of the user's.

A :class:`Partition` keeps what is needed to label rows that come later: the centres for k-means
(Alg. 3, line 15 of [Kawamata2025]_), the clusterer itself if it can predict, or else the labelled
rows, of which the nearest lend their label.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.neighbors import KNeighborsClassifier

from consilience.collaboration.selection import choose_between, choose_kmeans, choose_spectral
from consilience.collaboration.spectral import spectral_embedding
from consilience.collaboration.trimming import inner_rows, trimmed_kmeans

__all__ = ["Partition", "cluster", "kmeans"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

PREDICT_NEIGHBORS = 5
N_INIT = 10


@dataclass(frozen=True, eq=False)
class Partition:
    """Labels of the rows, and a rule for new rows.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,), int64
        0 to ``n_clusters - 1``, or -1 for what the clusterer calls noise.
    n_clusters : int
    centers : ndarray of shape (n_clusters, n_dimensions)
        Mean of each cluster in the collaboration representation.
    by_centers : bool
        Whether the nearest centre decides for new rows.
    clusterer : estimator or None
        The user's clusterer if it can predict.
    scores : dict of int to float
        With ``n_clusters="auto"``: the score of each number of clusters tried.
    criterion : str
        What the scores are, empty if nothing was chosen.
    """

    labels: Labels
    n_clusters: int
    centers: Array
    by_centers: bool = False
    clusterer: Any = None
    scores: dict[int, float] = field(default_factory=dict)
    criterion: str = ""

    def predict(self, X: Array, rows: Array) -> Labels:
        """Label new rows of the collaboration representation; ``rows`` are the ones clustered."""
        if self.by_centers:
            return np.asarray(pairwise_distances_argmin(X, self.centers), dtype=np.int64)
        if self.clusterer is not None:
            return np.asarray(self.clusterer.predict(X), dtype=np.int64)
        neighbors = KNeighborsClassifier(min(PREDICT_NEIGHBORS, len(rows)))
        return np.asarray(neighbors.fit(rows, self.labels).predict(X), dtype=np.int64)


def cluster(
    X: Array,
    method: Any = "kmeans",
    n_clusters: int | str | tuple[int, int] = 8,
    *,
    n_neighbors: int = 10,
    trim: float | None = None,
    seed: int,
) -> Partition:
    """Cluster the rows of the collaboration representation (Alg. 3, line 11).

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
        It is put in order and may be shifted and shifted back: pass what nobody else reads.
    method : {"kmeans", "spectral"} or clusterer
    n_clusters : int, "auto" or pair of int
        ``auto`` leaves it to the rows, see :mod:`~consilience.collaboration.selection`; a pair does
        so between two numbers. A clusterer of the user's decides itself.
    n_neighbors : int
        For the graph of spectral clustering.
    trim : float, optional
        For k-means: the share of rows that may lie apart and move no centre, see
        :mod:`~consilience.collaboration.trimming`.
    seed : int

    Returns
    -------
    Partition

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> cluster(X, n_clusters=2, seed=0).labels.tolist()
    [0, 0, 1, 1]
    """
    scores: dict[int, float] = {}
    criterion = ""
    if not isinstance(method, str):
        return _by_clusterer(X, method, seed)
    if isinstance(n_clusters, int) and n_clusters > len(X):
        raise ValueError(
            f"n_clusters == {n_clusters}, must be <= {len(X)}, the number of rows of all parties "
            f"together. Lower n_clusters."
        )
    if method == "kmeans":
        if not isinstance(n_clusters, int):
            rows = X if trim is None else inner_rows(X, trim)
            choice = choose_between(choose_kmeans(rows, seed), n_clusters, len(X))
            n_clusters, scores, criterion = choice
        if trim is None:
            labels, centers = kmeans(X, int(n_clusters), seed)
        else:
            labels, centers = trimmed_kmeans(X, int(n_clusters), trim, seed)
        labels, centers = _renumber(labels, centers)
        return Partition(labels, len(centers), centers, True, None, scores, criterion)
    if method == "spectral":
        if not isinstance(n_clusters, int):
            choice = choose_between(choose_spectral(X, n_neighbors, seed), n_clusters, len(X))
            n_clusters, scores, criterion = choice
        embedding = spectral_embedding(X, int(n_clusters), n_neighbors)
        labels, _ = kmeans(embedding.coordinates, int(n_clusters), seed)
        labels, centers = _renumber(labels, _means(X, labels))
        return Partition(labels, len(centers), centers, scores=scores, criterion=criterion)
    raise ValueError(
        f"method == {method!r}, must be 'kmeans', 'spectral' or a clusterer with fit_predict."
    )


def kmeans(X: Array, n_clusters: int, seed: int) -> tuple[Labels, Array]:
    """Run k-means (Alg. 1) from ten starts and keep the best."""
    model = KMeans(n_clusters, n_init=N_INIT, max_iter=300, random_state=seed, copy_x=False)
    labels = model.fit_predict(X)
    return labels.astype(np.int64), model.cluster_centers_


def _by_clusterer(X: Array, method: Any, seed: int) -> Partition:
    clusterer = clone(method)
    if "random_state" in clusterer.get_params() and clusterer.random_state is None:
        clusterer.set_params(random_state=seed)
    labels = np.asarray(clusterer.fit_predict(X), dtype=np.int64)
    centers = _means(X, labels)
    keeps = clusterer if hasattr(clusterer, "predict") else None
    return Partition(labels, len(centers), centers, clusterer=keeps)


def _means(X: Array, labels: Labels) -> Array:
    """Return the mean of each cluster; noise (-1) belongs to none."""
    inside = labels >= 0
    n_clusters = int(labels.max(initial=-1)) + 1
    sums = np.zeros((n_clusters, X.shape[1]))
    np.add.at(sums, labels[inside], X[inside])
    sizes = np.bincount(labels[inside], minlength=n_clusters)
    return np.asarray(sums / np.maximum(sizes, 1)[:, None])


def _renumber(labels: Labels, centers: Array) -> tuple[Labels, Array]:
    """Give clusters numbers by size, largest first: they do not depend on the start."""
    sizes = np.bincount(labels, minlength=len(centers))
    order = np.lexsort((*centers.T[::-1], -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    kept = sizes[order] > 0
    return rank[labels].astype(np.int64), centers[order][kept]
