"""Local clustering: each institution alone, what collaboration has to beat."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_scalar, validate_data

from consilience.collaboration.clustering import cluster
from consilience.holdings import row_groups
from consilience.metrics import ClusterScores, score

__all__ = ["LocalClustering"]


@dataclass(eq=False, repr=False)
class LocalClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster the rows of each institution alone.

    Nothing is exchanged, so a cluster of one institution has no counterpart at another: labels
    differ between parties. Without parties it is the pooled clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters at each party.
    method : {"kmeans", "spectral"} or clusterer, default="kmeans"
        As in ``CollaborationClustering``; a clusterer of your own decides the number itself.
    n_neighbors : int, default=10
        For the graph of spectral clustering.
    random_state : int, RandomState instance or None, default=None
        Seed. Each party gets its own from it.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_rows,)
        Cluster of each row, numbered on from party to party; -1 for what a clusterer of your own
        calls noise.
    n_clusters_ : int
        Clusters of all parties together.
    parties_ : list
        The institutions, sorted.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    A party with no more rows than clusters gives each row its own cluster.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [9.0], [0.2], [9.1], [9.2]])
    >>> model = LocalClustering(2, random_state=0).fit(X, parties=list("aaabbb"))
    >>> model.labels_
    array([0, 0, 1, 3, 2, 2])
    >>> model.score_parties([0, 0, 1, 0, 1, 1])["b"]
    ClusterScores(ari=1.0, nmi=1.0, acc=1.0)
    """

    n_clusters: int = 8
    _: KW_ONLY
    method: Any = "kmeans"
    n_neighbors: int = 10
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Cluster each party's rows.

        The arguments are those of :meth:`consilience.baselines.centres.CentreClustering.fit`.
        """
        check_scalar(self.n_clusters, "n_clusters", Integral, min_val=1)
        check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        names, rows = row_groups(parties, len(X))
        if parties is None and self._most_clusters() > len(X):
            raise ValueError(
                f"n_clusters == {self._most_clusters()}, must be <= {len(X)}, the number of rows. "
                "Lower n_clusters."
            )
        random_state = check_random_state(self.random_state)
        labels = np.full(len(X), -1, dtype=np.int64)
        n_clusters = 0
        for mine in rows:
            found = self._cluster(X[mine], seed=int(random_state.randint(2**31)))
            labels[mine] = np.where(found >= 0, found + n_clusters, -1)
            n_clusters += int(found.max()) + 1
        self.labels_ = labels
        self.n_clusters_ = n_clusters
        self.parties_ = names
        self._rows = rows
        return self

    def score_parties(self, y: npt.ArrayLike) -> dict[Any, ClusterScores]:
        """Score each party's clusters against known classes, on that party's rows only.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Known class of each row of the fit.

        Returns
        -------
        dict of party to ClusterScores
            In the order of ``parties_``.
        """
        check_is_fitted(self)
        y = np.asarray(y)
        if y.shape != self.labels_.shape:
            raise ValueError(
                f"y has shape {y.shape}, must be {self.labels_.shape}: one class for each row "
                "of the fit."
            )
        return {
            name: score(y[mine], self.labels_[mine])
            for name, mine in zip(self.parties_, self._rows, strict=True)
        }

    def _most_clusters(self) -> int:
        """Return the number of clusters asked for, 0 when the clusterer finds it itself."""
        if isinstance(self.method, str):
            return int(self.n_clusters)
        asked = self.method.get_params().get("n_clusters", 0)
        return int(asked) if isinstance(asked, Integral) else 0

    def _cluster(self, X: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.int64]:
        if len(X) <= max(self._most_clusters(), 1):
            return np.arange(len(X))
        return cluster(
            X, self.method, self.n_clusters, n_neighbors=self.n_neighbors, seed=seed
        ).labels
