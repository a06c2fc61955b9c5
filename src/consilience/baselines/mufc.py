"""MUFC: federated k-means over quantised centres, made so that rows can be unlearnt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin

from consilience.baselines.centres import CentreClustering

__all__ = ["MUFC"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False, kw_only=True)
class MUFC(CentreClustering):
    """Clients send how many rows fall to each cell of a grid; the server clusters random points.

    A client seeds k-means++ and sends, for each seed, the cell of a grid of step 1 / sqrt(n) it
    lies in and the number of rows nearest to it. The server learns the sum over clients (secure
    aggregation in the paper [Pan2023]_), draws that many uniform points in each cell, and runs
    k-means on them.

    Parameters
    ----------
    n_clusters : int, default 8
    lloyd : bool, default False
        Whether clients also run Lloyd's method, which the paper allows and which makes it
        costlier to unlearn a row.
    n_init, max_iter : int, default 10 and 100
        Starts and steps of the server's k-means.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    n_iter_ : int
        Steps of the server's k-means.
    labels_, cluster_centers_, n_clusters_, parties_, n_features_in_
        As of :class:`~consilience.baselines.centres.CentreClustering`.

    Notes
    -----
    The step refers to rows of norm at most 1: rows are divided by the largest norm, which the
    published program reads from the data of all clients. A client with fewer different rows than
    clusters sends that many cells.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [9.0], [9.2]] * 50)
    >>> model = MUFC(2, random_state=0).fit(X, parties=np.arange(200) % 3)
    >>> np.bincount(model.labels_).tolist()
    [100, 100]
    """

    lloyd: bool = False
    n_init: int = 10
    max_iter: int = 100

    counts = ("n_clusters", "n_init", "max_iter")

    def _find_centres(self, tables: list[Array], random_state: np.random.RandomState) -> Array:
        largest = max(float(np.sqrt((table**2).sum(axis=1).max())) for table in tables) or 1.0
        step = 1.0 / np.sqrt(sum(map(len, tables)))
        cells, counts = [], []
        for table, sent in zip(tables, self.sent_, strict=True):
            centres, sizes = self._summarise(table / largest, random_state)
            cells.append(np.round(centres / step))
            sent.add(cells[-1] * step * largest, points=True)
            sent.add(sizes)
            counts.append(sizes)
        points = resample(np.concatenate(cells), np.concatenate(counts), random_state) * step
        model = KMeans(
            min(self.n_clusters, len(points)),
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=random_state,
        ).fit(points)
        self.n_iter_ = model.n_iter_
        return np.asarray(model.cluster_centers_ * largest)

    def _summarise(
        self, X: Array, random_state: np.random.RandomState
    ) -> tuple[Array, npt.NDArray[np.int64]]:
        k = min(self.n_clusters, len(np.unique(X, axis=0)))
        if self.lloyd:
            model = KMeans(k, n_init=1, max_iter=self.max_iter, random_state=random_state)
            centres = model.fit(X).cluster_centers_
        else:
            centres = kmeans_plusplus(X, k, random_state=random_state)[0]
        nearest = pairwise_distances_argmin(X, centres)
        return centres, np.bincount(nearest, minlength=k).astype(np.int64)


def resample(
    cells: Array, counts: npt.NDArray[np.int64], random_state: np.random.RandomState
) -> Array:
    """Draw uniform points in the cells of a grid, as many as were counted there.

    Parameters
    ----------
    cells : ndarray of shape (n_cells, d)
        Centres of the cells, in steps of the grid; a cell may occur several times.
    counts : ndarray of shape (n_cells,)
    random_state : numpy.random.RandomState

    Returns
    -------
    ndarray of shape (sum of counts, d)
        In steps of the grid.

    Examples
    --------
    >>> points = resample(np.array([[3.0]]), np.array([5]), np.random.RandomState(0))
    >>> points.shape, bool((abs(points - 3) <= 0.5).all())
    ((5, 1), True)
    """
    repeated = np.repeat(cells, counts, axis=0)
    return repeated + random_state.uniform(-0.5, 0.5, size=repeated.shape)
