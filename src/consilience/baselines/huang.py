"""Coresets for vertical k-means [Huang2022]_: a weighted sample of rows, drawn together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import validate_data

from consilience.baselines.sent import Sent
from consilience.baselines.weighted_kmeans import assign, check_n_clusters, weighted_kmeans
from consilience.consensus.codes import unanimous
from consilience.consensus.views import column_views
from consilience.holdings import row_groups

__all__ = ["CoresetKMeans", "sensitivities"]

Array = npt.NDArray[np.float64]
ALPHA = 2.0


def sensitivities(X: Array, labels: npt.NDArray[np.int64], centres: Array) -> Array:
    r"""Bound how much each row can matter to the cost of any k centres.

    With cluster :math:`C(i)` of row i, local cost :math:`\phi` per row and :math:`\alpha = 2`,

    .. math::
        g_i = \frac{\alpha d_i^2}{\phi}
            + \frac{2 \alpha \sum_{j \in C(i)} d_j^2}{|C(i)| \phi}
            + \frac{4 n}{|C(i)|}.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        One party's columns.
    labels : ndarray of shape (n_rows,), int64
    centres : ndarray of shape (n_clusters, n_features)
        The party's own k-means.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    Two rows near one centre and one far away alone on another:

    >>> sensitivities(np.array([[0.0], [2], [9]]), np.array([0, 0, 1]), np.array([[1.0], [9]]))
    array([15., 15., 12.])
    """
    distances = ((X - centres[labels]) ** 2).sum(axis=1)
    phi = float(distances.mean()) or 1.0
    sizes = np.bincount(labels, minlength=len(centres))
    costs = np.bincount(labels, weights=distances, minlength=len(centres))
    mean_cost = (costs / np.maximum(sizes, 1))[labels]
    own = ALPHA * distances / phi
    return np.asarray(own + 2 * ALPHA * mean_cost / phi + 4 * len(X) / sizes[labels])


@dataclass(eq=False, repr=False)
class CoresetKMeans(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows whose columns several parties hold, from a weighted sample of whole rows.

    1. Each party runs k-means on its columns and computes :func:`sensitivities`.
    2. Rows are drawn with probability proportional to the sum over the parties, and weighted with
       one over it.
    3. The coordinator receives the drawn rows *as they are* and runs weighted k-means.
    4. Each party labels its rows by its own part of the centres.

    Parameters
    ----------
    n_clusters : int, default=8
    columns : list of lists of int or str, or None, default=None
    coreset_size : int or None, default=None
        Rows drawn, with replacement; None means a tenth of the rows, and at least `n_clusters`.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        By all columns together.
    peer_labels_ : list of ndarray of shape (n_rows,)
        By the columns of each party alone, which is all a party has.
    cluster_centers_ : ndarray of shape (n_clusters, total columns of the parties)
    n_clusters_ : int
    sent_ : list of Sent
        What each party sent.
    n_features_in_ : int

    Notes
    -----
    Who sees what: the coordinator sees a tenth of the raw rows, complete. Nothing here is private.

    Examples
    --------
    >>> X = np.array([[0.0, 0], [1, 1], [20, 20], [21, 21]]).repeat(10, axis=0)
    >>> np.bincount(CoresetKMeans(2, columns=[[0], [1]], random_state=0).fit_predict(X))
    array([20, 20])
    """

    n_clusters: int = 8
    _: KW_ONLY
    columns: Sequence[Sequence[Any]] | None = None
    coreset_size: int | None = None
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
        size = self.coreset_size
        if size is None:
            size = max(self.n_clusters, len(X) // 10)
        check_scalar(size, "coreset_size", Integral, min_val=1)
        views = column_views(self.columns, X.shape[1], getattr(self, "feature_names_in_", None))
        random = check_random_state(self.random_state)
        self.sent_ = [Sent() for _ in views]
        score = np.zeros(len(X))
        for view, sent in zip(views, self.sent_, strict=True):
            part = X[:, view]
            own = sensitivities(part, *weighted_kmeans(part, self.n_clusters, random))
            sent.add(own, of_rows=True)
            score += own
        share = score / score.sum()
        drawn = random.choice(len(X), size=size, p=share)
        for view, sent in zip(views, self.sent_, strict=True):
            sent.add(X[np.ix_(drawn, view)], points=True)
        table = np.hstack([X[:, view] for view in views])
        _, centres = weighted_kmeans(
            table[drawn], self.n_clusters, random, 1.0 / (size * share[drawn])
        )
        self.cluster_centers_ = centres
        self.labels_ = unanimous(assign(table, centres)[:, None])
        starts = np.cumsum([0, *(len(view) for view in views)])
        self.peer_labels_ = [
            assign(X[:, view], centres[:, start : start + len(view)])
            for view, start in zip(views, starts[:-1], strict=True)
        ]
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self
