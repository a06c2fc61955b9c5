"""The estimator of summaries: the real roles, inside one process."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.holdings import row_groups
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.summaries.analyst import Analyst
from consilience.summaries.party import Party
from consilience.summaries.units import Units

__all__ = ["SummaryClustering"]

DEFAULT_BOUNDS = (-4.0, 4.0)
DEFAULT_MIN_ROWS = 10


class SummaryClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows of several institutions of which only private summaries leave.

    Every institution sends a few centres of its rows, the analyst clusters the centres of all, and
    every institution gives its own rows the nearest cluster. No row, pseudonym or label leaves.

    Parameters
    ----------
    n_clusters : int or "auto", default 8
        Fewer are found where there are fewer centres.
    epsilon, delta : float, default 1.0 and 1e-6
        What a summary may cost a row. ``epsilon=None`` adds no noise; centres then are means of at
        least `min_rows` rows.
    bounds : pair of array-like of shape (n_features,), optional
        Public lower and upper bounds of each feature; values beyond are clipped. None takes the
        features as standardised by public figures, within [-4, 4]; nothing is read from `X`.
    spreads : array-like of shape (n_features,), optional
        What difference in each feature counts as 1; the width of its bounds by default.
    min_rows : int, optional
        The fewest rows behind a centre. With noise None promises nothing, without it it is 10.
    random_state : int, RandomState instance or None
        For the clusters the analyst looks for. It never touches the noise.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The heaviest cluster first.
    cluster_sizes_, cluster_errors_ : ndarray of shape (n_clusters_,)
        Rows of each cluster as the analyst knows them, and the standard deviation of their noise.
    n_clusters_ : int
    n_centers_ : int
        Centres sent by all institutions.
    n_features_in_ : int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2)) / 4 + np.repeat([[-2, 0], [2, 0], [0, 3]], 1000, axis=0)
    >>> model = SummaryClustering(3, epsilon=None, min_rows=10, random_state=0)
    >>> hospitals = np.arange(3000) % 3
    >>> np.bincount(model.fit(X, parties=hospitals).labels_).tolist()
    [1000, 1000, 1000]
    """

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        epsilon: float | None = 1.0,
        delta: float = 1e-6,
        bounds: Any = None,
        spreads: Any = None,
        min_rows: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.spreads = spreads
        self.min_rows = min_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Let every institution summarise its rows, and find the clusters.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : ignored
        parties : array-like of shape (n_rows,), optional
            The institution that holds each row; None means one institution.
        """
        X = validate_data(self, X, dtype=np.float64)
        if self.n_clusters != "auto":
            check_scalar(self.n_clusters, "n_clusters", Integral, min_val=1)
        if self.min_rows is not None:
            check_scalar(self.min_rows, "min_rows", Integral, min_val=1)
        min_rows = self.min_rows
        if self.epsilon is None and min_rows is None:
            min_rows = DEFAULT_MIN_ROWS
        self._units = self._make_units(X.shape[1])
        _, rows = row_groups(parties, len(X))
        names = [str(k) for k in range(len(rows))]
        seed = int(check_random_state(self.random_state).randint(2**31))
        analyst = Analyst(names, self._units, n_clusters=self.n_clusters, seed=seed)
        for name, held in zip(names, rows, strict=True):
            noise = None if self.epsilon is None else ConcentratedNoise(self.epsilon, self.delta)
            party = Party(name, self._units, noise=noise, min_rows=min_rows)
            for message in party.begin(X[held]):
                analyst.receive(message)
        self.cluster_centers_ = analyst.centers
        self.cluster_sizes_, self.cluster_errors_ = analyst.sizes, analyst.errors
        self.n_clusters_ = len(analyst.centers)
        self.n_centers_ = sum(len(s.centers) for s in analyst.summaries.values())
        self.labels_ = self._units.nearest(X, self.cluster_centers_)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the nearest cluster of each row, as an institution does at home.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        """
        check_is_fitted(self, "cluster_centers_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._units.nearest(X, self.cluster_centers_)

    def _make_units(self, n_features: int) -> Units:
        bounds = DEFAULT_BOUNDS if self.bounds is None else self.bounds
        lower, upper = (np.array(np.broadcast_to(b, n_features), dtype=np.float64) for b in bounds)
        if not (np.isfinite(lower).all() and np.isfinite(upper).all() and (lower < upper).all()):
            raise ValueError(
                "bounds must be finite, and every lower bound less than its upper: noise cannot "
                "hide a value without limits. Leave out a feature that cannot vary."
            )
        spreads = upper - lower if self.spreads is None else np.asarray(self.spreads, dtype=float)
        if spreads.shape != (n_features,) or not (spreads > 0).all():
            raise ValueError(
                f"spreads has shape {spreads.shape}, must be {n_features} numbers > 0: what "
                f"difference in each feature counts as 1."
            )
        return Units(lower, upper, spreads)
