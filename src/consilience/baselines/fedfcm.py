"""FedFCM: federated fuzzy c-means."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np
import numpy.typing as npt
from sklearn.cluster import kmeans_plusplus
from sklearn.utils import check_scalar

from consilience.baselines.centres import CentreClustering

__all__ = ["FedFCM"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class FedFCM(CentreClustering):
    """Clients run fuzzy c-means from common centres; the server averages by support; repeat.

    Parameters
    ----------
    n_clusters : int, default 8
    max_iter : int, default 100
        Rounds of communication, and fuzzy steps of a client in each.
    tol : float, default 1e-4
        Change of the centres at which a client and the server stop.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    n_iter_ : int
        Rounds of communication.
    labels_, cluster_centers_, n_clusters_, parties_, n_features_in_
        As of :class:`~consilience.baselines.centres.CentreClustering`.

    Notes
    -----
    Fuzzifier 2, as in [Stallmann2022]_. The first centres are seeded by the first client that has
    enough different rows; if none has, by the rows of all. The published program offers k-means of
    the centres in place of the average too; the average is the one compared in [Masuyama2024]_.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [9.0], [9.2]])
    >>> model = FedFCM(2, random_state=0).fit(X, parties=[0, 1, 0, 1])
    >>> sorted(model.cluster_centers_.ravel().round(1).tolist())
    [0.1, 9.1]
    """

    max_iter: int = 100
    tol: float = 1e-4

    counts = ("n_clusters", "max_iter")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_scalar(self.tol, "tol", Real, min_val=0)

    def _find_centres(self, tables: list[Array], random_state: np.random.RandomState) -> Array:
        centres = self._seed(tables, random_state)
        self.n_iter_ = 0
        for _ in range(self.max_iter):
            self.n_iter_ += 1
            total, support = np.zeros_like(centres), np.zeros(len(centres))
            for table, sent in zip(tables, self.sent_, strict=True):
                local, weight = fuzzy_c_means(table, centres, self.max_iter, self.tol)
                sent.add(local, points=True)
                sent.add(weight)
                total += local * weight[:, None]
                support += weight
            moved = total / support[:, None]
            change = float(np.linalg.norm(moved - centres))
            centres = moved
            if change < self.tol:
                break
        return centres

    def _seed(self, tables: list[Array], random_state: np.random.RandomState) -> Array:
        for rows in [*tables, np.concatenate(tables)]:
            different = len(np.unique(rows, axis=0))
            if different >= self.n_clusters:
                break
        k = min(self.n_clusters, different)
        centres: Array = kmeans_plusplus(rows, k, random_state=random_state)[0]
        return centres


def fuzzy_c_means(
    X: Array, centres: Array, max_iter: int, tol: float
) -> tuple[Array, npt.NDArray[np.float64]]:
    r"""Run fuzzy c-means with fuzzifier 2 from given centres.

    Memberships :math:`u_{ik} \propto 1 / \lVert x_i - c_k \rVert^2`, centres
    :math:`c_k = \sum_i u_{ik}^2 x_i / \sum_i u_{ik}^2`.

    Parameters
    ----------
    X : ndarray of shape (n_rows, d)
    centres : ndarray of shape (k, d)
    max_iter : int
    tol : float
        Largest change of a coordinate at which to stop.

    Returns
    -------
    centres : ndarray of shape (k, d)
    support : ndarray of shape (k,)
        Sum of the memberships of each centre, > 0.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> centres, support = fuzzy_c_means(X, np.array([[0.0], [10.0]]), 100, 1e-9)
    >>> centres.ravel().round(2).tolist(), support.round(2).tolist()
    ([0.5, 9.5], [2.0, 2.0])
    """
    tiny = np.finfo(np.float64).tiny
    # Squared distances by one product, from the middle of the rows, where least is cancelled out.
    middle = X.mean(axis=0)
    X, centres = X - middle, centres - middle
    lengths = (X**2).sum(axis=1)[:, None]
    for _ in range(max_iter):
        distances = lengths - 2.0 * (X @ centres.T) + (centres**2).sum(axis=1)
        nearness = 1.0 / np.maximum(distances, 1e-100)
        members = np.maximum(nearness / nearness.sum(axis=1, keepdims=True), np.sqrt(tiny))
        weights = members**2
        moved = (weights.T @ X) / weights.sum(axis=0)[:, None]
        change = np.abs(moved - centres).max()
        centres = moved
        if change < tol:
            break
    return centres + middle, members.sum(axis=0)
