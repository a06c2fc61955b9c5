"""What a clustering found: the cluster of each row, and the rule by which new rows get theirs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import pairwise_distances_argmin
from sklearn.neighbors import KNeighborsClassifier

__all__ = ["Partition", "Shown", "cluster_means", "order_by_size"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

PREDICT_NEIGHBORS = 5


@dataclass(frozen=True, eq=False)
class Shown:
    """Coordinates in which the nearest centre is the cluster: Z and its centres, Alg. 3, line 13.

    Parameters
    ----------
    coordinates : ndarray of shape (n_rows, n_dimensions)
    centers : ndarray of shape (n_clusters, n_dimensions)
    """

    coordinates: Array
    centers: Array


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
        What labels new rows, if it can.
    scores : dict of int to float
        With ``n_clusters="auto"``: the score of each number of clusters tried.
    criterion : str
        What the scores are, empty if nothing was chosen.
    embedding : Shown, optional
        Where other coordinates than the representation's were clustered: those.
    memberships : ndarray of shape (n_rows, n_clusters), optional
        How far a row belongs to each cluster; they add up to 1.
    tree : ndarray of shape (n_clusters - 1, 3), optional
        How clusters join into larger ones: two clusters or joints, and the height.
    """

    labels: Labels
    n_clusters: int
    centers: Array
    by_centers: bool = False
    clusterer: Any = None
    scores: dict[int, float] = field(default_factory=dict)
    criterion: str = ""
    embedding: Shown | None = None
    memberships: Array | None = None
    tree: Array | None = None

    def predict(self, X: Array, rows: Array) -> Labels:
        """Label new rows of the collaboration representation; ``rows`` are the ones clustered.

        A row that was clustered gets the label it has: where nothing else decides, near rows lend
        theirs, and the nearer the more.
        """
        if self.by_centers:
            return np.asarray(pairwise_distances_argmin(X, self.centers), dtype=np.int64)
        if self.clusterer is not None:
            return np.asarray(self.clusterer.predict(X), dtype=np.int64)
        neighbors = KNeighborsClassifier(min(PREDICT_NEIGHBORS, len(rows)), weights="distance")
        return np.asarray(neighbors.fit(rows, self.labels).predict(X), dtype=np.int64)

    def over(self, X: Array, inside: npt.NDArray[np.bool_]) -> Partition:
        """Return the partition of all rows of X, of which those ``inside`` were clustered.

        Of the others the embedding is not known: they are shown at the centre of their cluster.
        """
        others = self.predict(X[~inside], X[inside])
        labels = _spread(self.labels, others, inside)
        found = replace(self, labels=labels)
        if self.embedding is not None:
            centers = self.embedding.centers
            shown = _spread(self.embedding.coordinates, centers[others], inside)
            found = replace(found, embedding=Shown(shown, centers))
        if self.memberships is not None:
            further = self.clusterer.predict_proba(X[~inside])
            found = replace(found, memberships=_spread(self.memberships, further, inside))
        return found

    def shown(self, X: Array) -> Shown:
        """Return coordinates and centres a party may be shown; X is the representation."""
        return self.embedding or Shown(X, self.centers)


def _spread(inner: Any, outer: Any, inside: npt.NDArray[np.bool_]) -> Any:
    """Put together what belongs to the rows inside and to the others."""
    whole = np.empty((len(inside), *inner.shape[1:]), dtype=inner.dtype)
    whole[inside], whole[~inside] = inner, outer
    return whole


def cluster_means(X: Array, labels: Labels) -> Array:
    """Return the mean of each cluster; noise (-1) belongs to none."""
    inside = labels >= 0
    n_clusters = int(labels.max(initial=-1)) + 1
    sums = np.zeros((n_clusters, X.shape[1]))
    np.add.at(sums, labels[inside], X[inside])
    sizes = np.bincount(labels[inside], minlength=n_clusters)
    return np.asarray(sums / np.maximum(sizes, 1)[:, None])


def order_by_size(labels: Labels, centers: Array) -> tuple[Labels, npt.NDArray[np.intp]]:
    """Give clusters numbers by size, largest first: they do not depend on the start.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
    centers : ndarray of shape (n_clusters, n_dimensions)
        Equal sizes go by them.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
    order : ndarray of int
        The former number of each cluster; those without a row are left out.
    """
    sizes = np.bincount(labels, minlength=len(centers))
    order = np.lexsort((*centers.T[::-1], -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[labels].astype(np.int64), order[sizes[order] > 0]
