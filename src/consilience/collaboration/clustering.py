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
from consilience.collaboration.landmarks import NearestLandmark, graph_landmarks
from consilience.collaboration.mixture import OrderedMixture, fit_mixture
from consilience.collaboration.partition import Partition, Shown, cluster_means, order_by_size
from consilience.collaboration.selection import choose_between, choose_kmeans, choose_spectral
from consilience.collaboration.spectral import spectral_embedding
from consilience.collaboration.trimming import inner_rows, trimmed_kmeans
from consilience.engines.engine import Rows
from consilience.engines.in_memory import as_rows
from consilience.kmeans import kmeans

__all__ = ["METHODS", "cluster"]

Array = npt.NDArray[np.float64]

MAX_COUNTED = 10
"""Neighbours of a row in the graph that tells how many clusters there are: more hide thin ones."""
MAX_EXACT = 10_000
"""Rows up to which spectral clustering by landmarks is that of all rows."""


def cluster(
    X: Array | Rows,
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
    X : ndarray of shape (n_rows, n_dimensions), or Rows
        An array is put in order and may be shifted and shifted back: pass what nobody else reads.
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
    rows = as_rows(X)
    if not isinstance(method, str):
        return _by_clusterer(rows.whole(), method, seed)
    if method not in METHODS:
        named = ", ".join(map(repr, METHODS))
        raise ValueError(f"method == {method!r}, must be {named} or a clusterer with fit_predict.")
    if isinstance(n_clusters, str | tuple):
        n_counted = min(n_neighbors, MAX_COUNTED)
        if method == "spectral" or (method == "landmarks" and len(rows) <= MAX_EXACT):
            found = choose_spectral(rows.whole(), n_counted, seed)
        elif method == "landmarks":
            found = choose_spectral(graph_landmarks(rows, seed).places, n_counted, seed)
        else:
            inner = rows if trim is None else inner_rows(rows.whole(), trim)
            found = choose_kmeans(inner, seed)
        choice = choose_between(found, n_clusters, len(rows))
        partition = METHODS[method](rows, choice.n_clusters, n_neighbors, trim, seed)
        return replace(partition, scores=choice.scores, criterion=choice.criterion)
    if n_clusters > len(rows):
        raise ValueError(
            f"n_clusters == {n_clusters}, must be <= {len(rows)}, the number of rows of all "
            f"parties together. Lower n_clusters."
        )
    return METHODS[method](rows, int(n_clusters), n_neighbors, trim, seed)


def _by_kmeans(
    rows: Rows, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    if trim is None:
        labels, centers = kmeans(rows, n_clusters, seed)
    else:
        labels, centers = trimmed_kmeans(rows.whole(), n_clusters, trim, seed)
    labels, order = order_by_size(labels, centers)
    return Partition(labels, len(order), centers[order], by_centers=True)


def _by_spectral(
    rows: Rows, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    """Cluster the embedding, in which the nearest centre is the cluster (Alg. 3, line 13)."""
    coordinates = spectral_embedding(rows.whole(), n_clusters, n_neighbors).coordinates
    labels, centers = kmeans(coordinates, n_clusters, seed)
    labels, order = order_by_size(labels, centers)
    shown = Shown(coordinates, centers[order])
    return Partition(labels, len(order), cluster_means(rows, labels), embedding=shown)


def _by_landmarks(
    rows: Rows, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    """Cluster the embedding of landmarks; a row belongs where its landmark does.

    Where the graph of all rows takes a second, there is nothing to be saved by another clustering.
    """
    if len(rows) <= MAX_EXACT:
        return _by_spectral(rows, n_clusters, n_neighbors, trim, seed)
    found = graph_landmarks(rows, seed)
    coordinates = spectral_embedding(found.places, n_clusters, n_neighbors).coordinates
    of_landmarks, centers = kmeans(coordinates.copy(), n_clusters, seed)
    labels, order = order_by_size(found.spread(of_landmarks, rows.engine), centers)
    rank = np.full(len(centers), -1)
    rank[order] = np.arange(len(order))
    rule = NearestLandmark(found.places, rank[of_landmarks])
    shown = Shown(coordinates, centers[order], found.members)
    means = cluster_means(rows, labels)
    return Partition(labels, len(order), means, clusterer=rule, embedding=shown)


def _by_ward(
    rows: Rows, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    labels, tree, rule = ward_clusters(rows, n_clusters, seed)
    labels, order = order_by_size(labels, cluster_means(rows, labels))
    rank = np.argsort(order)
    sides = tree[:, :2].astype(np.int64)
    sides = np.sort(np.where(sides < len(order), rank[np.minimum(sides, len(rank) - 1)], sides))
    tree = np.column_stack([sides, tree[:, 2]])
    rule = replace(rule, labels=rank[rule.labels])
    return Partition(labels, len(order), cluster_means(rows, labels), clusterer=rule, tree=tree)


def _by_mixture(
    rows: Rows, n_clusters: int, n_neighbors: int, trim: float | None, seed: int
) -> Partition:
    _, centers = kmeans(rows, n_clusters, seed)
    mixture = fit_mixture(rows, centers, seed)
    sizes = np.sum(list(rows.each(_count, mixture, len(centers))), axis=0)
    # Clusters by size, largest first, and equal sizes by their means; without those of no row.
    order = np.lexsort((*mixture.means_.T[::-1], -sizes))
    ordered = OrderedMixture(mixture, order[sizes[order] > 0])
    labels = rows.engine.labels(len(rows), len(order))
    memberships, start = rows.engine.blank((len(rows), len(ordered.order))), 0
    for part in rows.each(_belong, ordered, doing="memberships"):
        inside = slice(start, start + len(part))
        memberships[inside], labels[inside] = part, part.argmax(axis=1)
        start = inside.stop
    means = mixture.means_[ordered.order]
    return Partition(labels, len(means), means, clusterer=ordered, memberships=memberships)


def _count(block: Array, mixture: Any, n_clusters: int) -> npt.NDArray[np.intp]:
    return np.bincount(mixture.predict(block), minlength=n_clusters)


def _belong(block: Array, mixture: OrderedMixture) -> Array:
    return mixture.predict_proba(block)


METHODS: Mapping[str, Callable[[Rows, int, int, float | None, int], Partition]] = {
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
