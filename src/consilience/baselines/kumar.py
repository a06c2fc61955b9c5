"""Federated k-means [Kumar2020]_: centres travel back and forth, rows stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.utils import check_array

from consilience.baselines.centres import CentreClustering
from consilience.baselines.weighted_kmeans import assign

__all__ = ["KumarKMeans", "average_centres", "lloyd"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class KumarKMeans(CentreClustering):
    r"""Cluster rows of several institutions by averaging their k-means centres.

    In each round every party :math:`i` starts from the common centres :math:`c_k`, runs a few
    Lloyd steps on its rows and returns its centres :math:`c_{ik}` and how many rows
    :math:`n_{ik}` each has. The new common centres are

    .. math:: c_k = \sum_i n_{ik} c_{ik} / \sum_i n_{ik}.

    All parties hold the same columns.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the rows of all parties.
    n_rounds : int, default=10
        Rounds of communication. [Kumar2020]_ takes 5, the comparison in [Kawamata2025]_ 10.
    n_local_steps : int, default=5
        Lloyd steps of a party in a round.
    init : "party" or array-like of shape (n_clusters, n_features), default="party"
        The first common centres: the k-means centres of the party with the most rows, or given.
    random_state : int, RandomState instance or None, default=None
        Seed of that first k-means.

    Attributes
    ----------
    labels_, cluster_centers_, n_clusters_, parties_, n_features_in_
        As of :class:`~consilience.baselines.centres.CentreClustering`.

    Notes
    -----
    A centre that no row of a party is nearest to counts for nothing in the mean; one that no row
    of any party is nearest to stays where it is. How the first centres are found is not stated in
    the comparison; those of one party's k-means show no row, unlike a random choice of rows.

    Who sees what: the coordinator sees each party's centres and counts in every round; a count of
    1 shows a row.

    Examples
    --------
    >>> X = np.array([[0.0], [2.0], [10.0], [0.0], [12.0], [14.0]])
    >>> model = KumarKMeans(2, random_state=0).fit(X, parties=list("aaabbb"))
    >>> np.sort(model.cluster_centers_.ravel()).round(3)
    array([ 0.667, 12.   ])
    """

    n_rounds: int = 10
    n_local_steps: int = 5
    init: Any = "party"

    counts = ("n_clusters", "n_rounds", "n_local_steps")

    def _find_centres(self, tables: list[Array], random_state: np.random.RandomState) -> Array:
        centres = self._first_centres(max(tables, key=len), random_state)
        for _ in range(self.n_rounds):
            answers = [lloyd(table, centres, self.n_local_steps) for table in tables]
            for (local, counts), sent in zip(answers, self.sent_, strict=True):
                sent.add(local, points=True)
                sent.add(counts)
            centres = average_centres(answers, centres)
        return centres

    def _first_centres(self, largest: Array, random_state: np.random.RandomState) -> Array:
        """Return the centres broadcast before the first round."""
        if not isinstance(self.init, str):
            centres = check_array(self.init, dtype=np.float64, input_name="init")
            if centres.shape != (self.n_clusters, largest.shape[1]):
                raise ValueError(
                    f"init has shape {centres.shape}, must be "
                    f"({self.n_clusters}, {largest.shape[1]}): n_clusters centres in the columns "
                    "of X."
                )
            return np.array(centres)
        if self.init != "party":
            raise ValueError(f"init == {self.init!r}, must be 'party' or an array of centres.")
        if self.n_clusters > len(largest):
            raise ValueError(
                f"n_clusters == {self.n_clusters}, must be <= {len(largest)}: the party with the "
                "most rows finds the first centres, and has no more rows. Lower n_clusters, or "
                "pass the first centres as init."
            )
        seed = int(random_state.randint(2**31))
        first = KMeans(self.n_clusters, n_init=10, random_state=seed).fit(largest)
        return np.asarray(first.cluster_centers_)


def lloyd(X: Array, centres: Array, n_steps: int) -> tuple[Array, npt.NDArray[np.int64]]:
    """Run Lloyd steps, and count the rows behind each centre.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows of one party.
    centres : ndarray of shape (n_clusters, n_features)
        Where to start.
    n_steps : int
        Number of steps, at least 1.

    Returns
    -------
    centres : ndarray of shape (n_clusters, n_features)
        Mean of each cluster in the last step; a cluster without rows keeps its centre.
    counts : ndarray of int64, shape (n_clusters,)
        The rows of which each centre is the mean.

    Examples
    --------
    >>> lloyd(np.array([[0.0], [2.0]]), np.array([[1.0], [9.0]]), 1)
    (array([[1.],
           [9.]]), array([2, 0]))
    """
    for _ in range(n_steps):
        labels = assign(X, centres)
        counts = np.bincount(labels, minlength=len(centres))
        membership = csr_array(
            (np.ones(len(X)), (labels, np.arange(len(X)))), shape=(len(centres), len(X))
        )
        means = (membership @ X) / np.maximum(counts, 1)[:, None]
        centres = np.where(counts[:, None] > 0, means, centres)
    return centres, counts


def average_centres(answers: list[tuple[Array, npt.NDArray[np.int64]]], centres: Array) -> Array:
    """Return the mean of the parties' centres, index by index, weighted by their counts.

    Parameters
    ----------
    answers : list of (centres, counts)
        What `lloyd` returned at each party.
    centres : ndarray of shape (n_clusters, n_features)
        The common centres the parties started from: kept where nobody has rows.

    Returns
    -------
    ndarray of shape (n_clusters, n_features)
        The new common centres.

    Examples
    --------
    >>> a = np.array([[0.0], [4.0]]), np.array([3, 0])
    >>> b = np.array([[8.0], [5.0]]), np.array([1, 0])
    >>> average_centres([a, b], np.array([[1.0], [6.0]]))
    array([[2.],
           [6.]])
    """
    total = np.sum([counts for _, counts in answers], axis=0)[:, None]
    summed = np.sum([found * counts[:, None] for found, counts in answers], axis=0)
    return np.where(total > 0, summed / np.maximum(total, 1), centres)
