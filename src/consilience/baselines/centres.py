"""What methods share that end with common centres: a row belongs to the nearest one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, check_scalar, validate_data

from consilience.baselines.sent import Sent
from consilience.holdings import row_groups

__all__ = ["CentreClustering"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(eq=False, repr=False)
class CentreClustering(ClusterMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the methods whose institutions hold different rows and agree on centres.

    They are dataclasses: an ``__init__`` of theirs would only store its arguments.

    Parameters
    ----------
    n_clusters : int, default 8
    random_state : int, RandomState instance or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_rows,)
        Nearest centre of each row.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    n_clusters_ : int
    parties_ : list
        The institutions, sorted.
    sent_ : list of Sent
        What each of them sent, in all rounds.
    n_features_in_ : int
    """

    n_clusters: int = 8
    _: KW_ONLY
    random_state: Any = None

    counts: ClassVar[tuple[str, ...]] = ("n_clusters",)
    """Parameters that count something, from 1."""

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Find common centres.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows of all parties.
        y : Ignored
            Present for scikit-learn.
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X = validate_data(self, X, dtype=np.float64)
        self.parties_, rows = row_groups(parties, len(X))
        random_state = check_random_state(self.random_state)
        self.sent_ = [Sent() for _ in rows]
        self.cluster_centers_ = self._find_centres([X[mine] for mine in rows], random_state)
        self.n_clusters_ = len(self.cluster_centers_)
        self.labels_ = self._nearest(X)
        return self

    def predict(self, X: Any) -> Labels:
        """Return the nearest centre of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            New rows, of any party.

        Returns
        -------
        ndarray of int64, shape (n_rows,)
            Cluster of each row.
        """
        check_is_fitted(self, "cluster_centers_")
        return self._nearest(validate_data(self, X, dtype=np.float64, reset=False))

    def _check_parameters(self) -> None:
        """Raise unless the parameters given to the constructor are valid."""
        for name in self.counts:
            check_scalar(getattr(self, name), name, Integral, min_val=1)

    @abstractmethod
    def _find_centres(self, tables: list[Array], random_state: np.random.RandomState) -> Array:
        """Return the common centres of the parties' tables."""

    def _nearest(self, X: Array) -> Labels:
        labels: Labels = pairwise_distances_argmin(X, self.cluster_centers_).astype(np.int64)
        return labels
