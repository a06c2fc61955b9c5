"""k-means with distributed dimensions [Ding2016]_: a grid of the parties' own centres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from consilience.baselines.sent import Sent
from consilience.baselines.weighted_kmeans import check_n_clusters, weighted_kmeans
from consilience.consensus.codes import unanimous
from consilience.consensus.views import column_views
from consilience.holdings import row_groups

__all__ = ["DistributedKMeans", "cell_centres"]


@dataclass(eq=False, repr=False)
class DistributedKMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows whose columns several parties hold, from their local k-means.

    1. Each party runs k-means on its columns and sends centres and the label of each row.
    2. The coordinator forms the grid of all combinations of local centres, weights each cell with
       its number of rows, and runs weighted k-means on the cells that are not empty.
    3. A row gets the cluster of its cell.

    Parameters
    ----------
    n_clusters : int, default=8
        Of each party and of the result.
    columns : list of lists of int or str, or None, default=None
        The columns of each party; they may overlap.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
    peer_labels_ : list of ndarray of shape (n_rows,)
        The same labels for each party: all agree.
    cluster_centers_ : ndarray of shape (n_clusters, total columns of the parties)
    n_clusters_ : int
    sent_ : list of Sent
        What each party sent.
    n_features_in_ : int

    Notes
    -----
    A row finds its cell by its combination of labels, whatever the number of parties. An often
    used implementation looks it up in a grid whose order fits two parties only, and so scores
    this method too low with three or more.

    Who sees what: the coordinator sees every party's centres and the local label of every row.

    Examples
    --------
    >>> X = np.array([[0.0, 0, 0], [0, 0, 9], [9, 9, 0], [9, 9, 9]]).repeat(3, axis=0)
    >>> DistributedKMeans(2, columns=[[0, 1], [2]], random_state=0).fit(X).cluster_centers_.shape
    (2, 3)
    """

    n_clusters: int = 8
    _: KW_ONLY
    columns: Sequence[Sequence[Any]] | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Cluster the rows of X, an array of shape (n_rows, n_features).

        `parties`, the institution of each row, is taken as by every other estimator and changes
        nothing: this method splits columns, and every party sees all rows.
        """
        if parties is not None:
            row_groups(parties, len(np.asarray(X)))
        X = validate_data(self, X, dtype=np.float64)
        check_n_clusters(self.n_clusters, len(X))
        views = column_views(self.columns, X.shape[1], getattr(self, "feature_names_in_", None))
        random = check_random_state(self.random_state)
        local = [weighted_kmeans(X[:, view], self.n_clusters, random) for view in views]
        self.sent_ = [Sent() for _ in views]
        for (labels, centres), sent in zip(local, self.sent_, strict=True):
            sent.add(centres, points=True)
            sent.add(labels, of_rows=True)
        cells = unanimous(np.column_stack([labels for labels, _ in local]))
        grid = cell_centres(cells, local)
        weights = np.bincount(cells).astype(np.float64)
        group, self.cluster_centers_ = weighted_kmeans(grid, self.n_clusters, random, weights)
        self.labels_ = unanimous(group[cells][:, None])
        self.peer_labels_ = [self.labels_] * len(views)
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self


def cell_centres(
    cells: npt.NDArray[np.int64],
    local: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]],
) -> npt.NDArray[np.float64]:
    """Join the local centres of each cell side by side."""
    _, first = np.unique(cells, return_index=True)
    return np.hstack([centres[labels[first]] for labels, centres in local])
