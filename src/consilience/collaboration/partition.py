"""What a clustering found: the cluster of each row, and the rule by which new rows get theirs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import pairwise_distances_argmin
from sklearn.neighbors import KNeighborsClassifier

from consilience.engines.engine import Rows
from consilience.engines.in_memory import as_rows
from consilience.mapped import in_blocks

__all__ = ["Partition", "Shown", "cluster_means", "count_clusters", "order_by_size"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]

PREDICT_NEIGHBORS = 5
PART_ROWS = 2**20
"""Labels worked on at a time."""


@dataclass(frozen=True, eq=False)
class Shown:
    """Coordinates in which the nearest centre is the cluster: Z and its centres, Alg. 3, line 13.

    Parameters
    ----------
    coordinates : ndarray of shape (n_places, n_dimensions), or Rows
    centers : ndarray of shape (n_clusters, n_dimensions)
    members : ndarray of shape (n_rows,), optional
        The place of each row; every row has its own by default.
    """

    coordinates: Array | Rows
    centers: Array
    members: Labels | None = None

    def part(self, inside: slice) -> Array:
        """Return the coordinates of some rows."""
        places = np.arange(inside.start, inside.stop)
        return as_rows(self.coordinates).take(
            places if self.members is None else self.members[inside]
        )


@dataclass(frozen=True, eq=False)
class Partition:
    """Labels of the rows, and a rule for new rows.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,), of whole numbers
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

    def predict(self, X: Array, rows: Array | Rows) -> Labels:
        """Label new rows of the collaboration representation; ``rows`` are the ones clustered.

        A row that was clustered gets the label it has: where nothing else decides, near rows lend
        theirs, and the nearer the more.
        """
        if self.by_centers:
            return np.asarray(pairwise_distances_argmin(X, self.centers), dtype=np.int64)
        if self.clusterer is not None:
            return np.asarray(self.clusterer.predict(X), dtype=np.int64)
        neighbors = KNeighborsClassifier(min(PREDICT_NEIGHBORS, len(rows)), weights="distance")
        return np.asarray(
            neighbors.fit(as_rows(rows).whole(), self.labels).predict(X), dtype=np.int64
        )

    def over(self, rows: Rows, inside: npt.NDArray[np.bool_], clustered: Rows) -> Partition:
        """Return the partition of all rows, of which those ``inside`` were clustered.

        Of the others the embedding is not known: they are shown at the centre of their cluster.
        """
        labels = rows.engine.labels(len(rows), self.n_clusters)
        labels[inside] = self.labels
        for start in range(0, len(inside), PART_ROWS):
            others = start + np.flatnonzero(~inside[start : start + PART_ROWS])
            if len(others):
                labels[others] = self.predict(rows.take(others), clustered)
        found = replace(self, labels=labels)
        if self.embedding is not None:
            centers = self.embedding.centers
            known = self.embedding.part(slice(0, len(self.labels)))
            shown = _spread(known, centers[labels[~inside]], inside)
            found = replace(found, embedding=Shown(shown, centers))
        if self.memberships is not None:
            further = self.clusterer.predict_proba(rows.take(np.flatnonzero(~inside)))
            found = replace(found, memberships=_spread(self.memberships, further, inside))
        return found

    def shown(self, rows: Rows) -> Shown:
        """Return coordinates and centres a party may be shown, of the rows that were clustered."""
        return self.embedding or Shown(rows, self.centers)


def _spread(inner: Any, outer: Any, inside: npt.NDArray[np.bool_]) -> Any:
    """Put together what belongs to the rows inside and to the others."""
    whole = np.empty((len(inside), *inner.shape[1:]), dtype=inner.dtype)
    whole[inside], whole[~inside] = inner, outer
    return whole


def cluster_means(X: Array | Rows, labels: Labels) -> Array:
    """Return the mean of each cluster; noise (-1) belongs to none.

    Examples
    --------
    >>> cluster_means(np.array([[0.0], [2.0], [9.0]]), np.array([0, 0, 1])).ravel()
    array([1., 9.])
    """
    rows = as_rows(X)
    n_clusters = 1 + max((int(part.max()) for part in in_blocks(labels)), default=-1)
    sums = np.zeros((n_clusters, rows.shape[1]))
    for part in rows.each(_sums, n_clusters, beside=labels):
        sums += part
    return np.asarray(sums / np.maximum(count_clusters(labels, n_clusters), 1)[:, None])


def _sums(block: Array, labels: Labels, n_clusters: int) -> Array:
    sums, inside = np.zeros((n_clusters, block.shape[1])), labels >= 0
    np.add.at(sums, labels[inside], block[inside])
    return sums


def count_clusters(labels: Labels, n_clusters: int) -> npt.NDArray[np.int64]:
    """Return how many rows each cluster has; noise (-1) belongs to none.

    Examples
    --------
    >>> count_clusters(np.array([1, 0, 1, -1]), 3)
    array([1, 2, 0])
    """
    sizes = np.zeros(n_clusters + 1, dtype=np.int64)
    for part in in_blocks(labels, PART_ROWS):
        sizes += np.bincount(part.astype(np.intp) + 1, minlength=n_clusters + 1)
    return sizes[1:]


def order_by_size(labels: Labels, centers: Array) -> tuple[Labels, npt.NDArray[np.intp]]:
    """Give clusters numbers by size, largest first: they do not depend on the start.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
        Numbered anew where they stand.
    centers : ndarray of shape (n_clusters, n_dimensions)
        Equal sizes go by them.

    Returns
    -------
    labels : ndarray of shape (n_rows,)
    order : ndarray of int
        The former number of each cluster; those without a row are left out.
    """
    sizes = count_clusters(labels, len(centers))
    order = np.lexsort((*centers.T[::-1], -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    for part in in_blocks(labels, PART_ROWS):
        part[:] = rank[part]
    return labels, order[sizes[order] > 0]
