"""Clustering of the collaboration representation by a method of ours or a clusterer of the user's.

A :class:`~consilience.collaboration.partition.Partition` keeps what is needed to label rows that
come later: the centres for k-means (Alg. 3, line 15 of [Kawamata2025]_), what can predict, or else
the labelled rows, of which the nearest lend their label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from consilience.collaboration.hierarchical import ward_clusters
from consilience.collaboration.landmarks import NearestLandmark, find_landmarks
from consilience.collaboration.mixture import OrderedMixture, fit_mixture
from consilience.collaboration.partition import Partition, Shown, cluster_means, order_by_size
from consilience.collaboration.selection import choose_between, choose_kmeans, choose_spectral
from consilience.collaboration.spectral import spectral_embedding
from consilience.collaboration.trimming import inner_rows, trimmed_kmeans
from consilience.kmeans import kmeans

__all__ = ["METHODS", "cluster"]

Array = npt.NDArray[np.float64]

MAX_COUNTED = 10
"""Neighbours of a row in the graph that tells how many clusters there are: more hide thin ones."""


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
    method : {"kmeans", "spectral", "landmarks", "hierarchical", "mixture"} or clusterer
    n_clusters : int, "auto" or pair of int
        ``auto`` leaves it to the rows, see :mod:`~consilience.collaboration.selection`; a pair does
        so between two numbers. A clusterer of the user's decides itself.
    n_neighbors : int
        For the graph of spectral clustering; what tells the number of clusters has 10 at most.
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
    if not isinstance(method, str):
        return _by_clusterer(X, method, seed)
    if method not in METHODS:
        named = ", ".join(map(repr, METHODS))
        raise ValueError(f"method == {method!r}, must be {named} or a clusterer with fit_predict.")
    if isinstance(n_clusters, str | tuple):
        n_counted = min(n_neighbors, MAX_COUNTED)
        if method == "spectral":
            found = choose_spectral(X, n_counted, seed)
        elif method == "landmarks":
            found = choose_spectral(find_landmarks(X, seed).places, n_counted, seed)
        else:
            found = choose_kmeans(X if trim is None else inner_rows(X, trim), seed)
        choice = choose_between(found, n_clusters, len(X))
        partition = METHODS[method](X, choice.n_clusters, n_neighbors, trim, seed)
        return replace(partition, scores=choice.scores, criterion=choice.criterion)
    if n_clusters > len(X):
        raise ValueError(
            f"n_clusters == {n_clusters}, must be <= {len(X)}, the number of rows of all parties "
            f"together. Lower n_clusters."
        )
    return METHODS[method](X, int(n_clusters), n_neighbors, trim, seed)


def _by_kmeans(
    X: Array, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    if trim is None:
        labels, centers = kmeans(X, n_clusters, seed)
    else:
        labels, centers = trimmed_kmeans(X, n_clusters, trim, seed)
    labels, order = order_by_size(labels, centers)
    return Partition(labels, len(order), centers[order], by_centers=True)


def _by_spectral(
    X: Array, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    """Cluster the embedding, in which the nearest centre is the cluster (Alg. 3, line 13)."""
    coordinates = spectral_embedding(X, n_clusters, n_neighbors).coordinates
    labels, centers = kmeans(coordinates, n_clusters, seed)
    labels, order = order_by_size(labels, centers)
    shown = Shown(coordinates, centers[order])
    return Partition(labels, len(order), cluster_means(X, labels), embedding=shown)


def _by_landmarks(
    X: Array, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    """Cluster the embedding of landmarks; a row belongs where its landmark does."""
    found = find_landmarks(X, seed)
    coordinates = spectral_embedding(found.places, n_clusters, n_neighbors).coordinates
    of_landmarks, centers = kmeans(coordinates.copy(), n_clusters, seed)
    labels, order = order_by_size(of_landmarks[found.members], centers)
    rank = np.full(len(centers), -1)
    rank[order] = np.arange(len(order))
    rule = NearestLandmark(found.places, rank[of_landmarks])
    shown = Shown(coordinates[found.members], centers[order])
    means = cluster_means(X, labels)
    return Partition(labels, len(order), means, clusterer=rule, embedding=shown)


def _by_ward(
    X: Array, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    labels, tree, rule = ward_clusters(X, n_clusters, seed)
    _, order = order_by_size(labels, cluster_means(X, labels))
    rank = np.argsort(order)
    sides = tree[:, :2].astype(np.int64)
    sides = np.sort(np.where(sides < len(order), rank[np.minimum(sides, len(rank) - 1)], sides))
    tree = np.column_stack([sides, tree[:, 2]])
    rule = replace(rule, labels=rank[rule.labels])
    labels = rank[labels].astype(np.int64)
    return Partition(labels, len(order), cluster_means(X, labels), clusterer=rule, tree=tree)


def _by_mixture(
    X: Array, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    _, centers = kmeans(X, n_clusters, seed)
    mixture = fit_mixture(X, centers, seed)
    _, order = order_by_size(mixture.predict(X), mixture.means_)
    ordered = OrderedMixture(mixture, order)
    memberships = ordered.predict_proba(X)
    return Partition(
        memberships.argmax(axis=1).astype(np.int64),
        len(order),
        mixture.means_[order],
        clusterer=ordered,
        memberships=memberships,
    )


METHODS: Mapping[str, Callable[[Array, int, int, float | None, int], Partition]] = {
    "kmeans": _by_kmeans,
    "spectral": _by_spectral,
    "landmarks": _by_landmarks,
    "hierarchical": _by_ward,
    "mixture": _by_mixture,
}
"""What a study may agree on."""


def _by_clusterer(X: Array, method: Any, seed: int) -> Partition:
    clusterer = clone(method)
    if "random_state" in clusterer.get_params() and clusterer.random_state is None:
        clusterer.set_params(random_state=seed)
    labels = np.asarray(clusterer.fit_predict(X), dtype=np.int64)
    centers = cluster_means(X, labels)
    keeps = clusterer if hasattr(clusterer, "predict") else None
    return Partition(labels, len(centers), centers, clusterer=keeps)
