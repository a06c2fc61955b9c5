"""k-FED: one-shot federated k-means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans, kmeans_plusplus

from consilience.baselines.centres import CentreClustering

__all__ = ["KFed"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class KFed(CentreClustering):
    """Each client clusters its rows and sends centres; the server clusters the centres, once.

    A client projects its rows on their first singular vectors, seeds k-means there, averages the
    rows that are three times closer to their seed than to any other, and runs Lloyd's method from
    these averages [Dennis2021]_. The server starts from the centres of the first client, adds the
    farthest ones while there are too few, and runs Lloyd's method on all centres, unweighted.

    Parameters
    ----------
    n_clusters : int, default 8
    max_iter : int, default 100
        Lloyd steps at a client, and at the server.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    n_iter_ : int
        Most Lloyd steps any client took.
    labels_, cluster_centers_, n_clusters_, parties_, n_features_in_
        As of :class:`~consilience.baselines.centres.CentreClustering`.

    Notes
    -----
    A client with fewer different rows than clusters sends that many centres. A seed that no row is
    three times closer to stays as it is. Rows are labelled by the nearest centre of the server. The
    server goes on until nothing moves: after one step alone its centres depend on the start
    (optdigits, non-iid, 50 clients: ARI .38 in place of .50).

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [9.0], [9.2]])
    >>> model = KFed(2, random_state=0).fit(X, parties=[0, 1, 0, 1])
    >>> sorted(model.cluster_centers_.ravel().round(1).tolist())
    [0.1, 9.1]
    """

    max_iter: int = 100

    counts = ("n_clusters", "max_iter")

    def _find_centres(self, tables: list[Array], random_state: np.random.RandomState) -> Array:
        models = [
            cluster_locally(table, self.n_clusters, self.max_iter, random_state) for table in tables
        ]
        self.n_iter_ = max(model.n_iter_ for model in models)
        sent = [model.cluster_centers_ for model in models]
        for centres, left in zip(sent, self.sent_, strict=True):
            left.add(centres, points=True)
        return merge_centres(sent, self.n_clusters, self.max_iter)


def cluster_locally(
    X: Array, n_clusters: int, max_iter: int, random_state: np.random.RandomState
) -> KMeans:
    """Return the k-means model of a client, whose centres it sends (Alg. 1 of [Dennis2021]_).

    Parameters
    ----------
    X : ndarray of shape (n_rows, d)
    n_clusters, max_iter : int
    random_state : numpy.random.RandomState

    Returns
    -------
    KMeans
        With as many clusters as asked for, or as there are different rows.

    Examples
    --------
    >>> X = np.array([[0.0], [0.0], [5.0]])
    >>> cluster_locally(X, 3, 10, np.random.RandomState(0)).cluster_centers_.shape
    (2, 1)
    """
    k = min(n_clusters, len(np.unique(X, axis=0)))
    _, _, basis = np.linalg.svd(X, full_matrices=False)
    projected = X @ basis[:k].T
    seeds, chosen = kmeans_plusplus(projected, k, random_state=random_state)
    distances = np.sqrt(cdist(projected, seeds, "sqeuclidean"))
    nearest = distances.argmin(axis=1)
    if k > 1:
        ordered = np.partition(distances, 1, axis=1)
        sure = 3.0 * ordered[:, 0] <= ordered[:, 1]
    else:
        sure = np.ones(len(X), dtype=bool)
    start = X[chosen].copy()
    for cluster in range(k):
        members = sure & (nearest == cluster)
        if members.any():
            start[cluster] = X[members].mean(axis=0)
    return KMeans(k, init=start, n_init=1, max_iter=max_iter).fit(X)


def merge_centres(sent: list[Array], n_clusters: int, max_iter: int = 100) -> Array:
    """Return the server's centres (Alg. 2 of [Dennis2021]_, carried on until nothing moves).

    Parameters
    ----------
    sent : list of ndarray of shape (k_c, d)
        Centres of each client.
    n_clusters, max_iter : int

    Returns
    -------
    ndarray of shape (n_clusters, d)
        Fewer rows if all clients together sent fewer different centres.

    Examples
    --------
    >>> merge_centres([np.array([[0.0]]), np.array([[1.0], [9.0]])], 2).ravel().tolist()
    [0.5, 9.0]
    """
    everything = np.concatenate(sent)
    start = list(sent[0][:n_clusters])
    while len(start) < n_clusters:
        distances = cdist(everything, np.array(start)).min(axis=1)
        if distances.max() == 0.0:
            break
        start.append(everything[distances.argmax()])
    model = KMeans(len(start), init=np.array(start), n_init=1, max_iter=max_iter, tol=0.0)
    merged: Array = model.fit(everything).cluster_centers_
    return merged
