"""The estimator of summaries: the real roles, inside one process."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.holdings import row_groups
from consilience.messages import Summary
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.summaries.analyst import Analyst
from consilience.summaries.party import Party
from consilience.summaries.placing import place_rows
from consilience.summaries.settings import check_min_rows, make_units
from consilience.summaries.succession import Named, follow
from consilience.transports import deliver

__all__ = ["SummaryClustering"]

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
    mixture : bool, default False
        Whether clusters are Gaussians of any shape, and not as round as those of k-means.
    former_centers : array-like of shape (n_former, n_features), optional
        Clusters of an earlier study, such as its `cluster_centers_`: those that are found again
        keep their number, others have numbers from `n_former` on.
    random_state : int, RandomState instance or None
        For the clusters the analyst looks for. It never touches the noise.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The heaviest cluster first.
    cluster_names_ : ndarray of shape (n_clusters_,)
        The label of each; its place, unless an earlier study gave it another.
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
        mixture: bool = False,
        former_centers: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.spreads = spreads
        self.min_rows = min_rows
        self.mixture = mixture
        self.former_centers = former_centers
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
        min_rows = check_min_rows(self.min_rows, self.epsilon, DEFAULT_MIN_ROWS)
        self._units = make_units(self.bounds, self.spreads, X.shape[1])
        _, rows = row_groups(parties, len(X))
        names = [str(k) for k in range(len(rows))]
        seed = int(check_random_state(self.random_state).randint(2**31))
        analyst = Analyst(
            names,
            self._units,
            n_clusters=self.n_clusters,
            mixture=self.mixture,
            former=self._former(),
            seed=seed,
        )
        roles = {name: self._make_party(name, min_rows) for name in names}
        sent = (
            message
            for name, held in zip(names, rows, strict=True)
            for message in roles[name].begin(X[held])
        )
        deliver(sent, {**roles, analyst.name: analyst})
        self._answer = cast(Summary, roles[names[0]].answer)
        self.cluster_centers_ = analyst.centers
        self.cluster_sizes_, self.cluster_errors_ = analyst.sizes, analyst.errors
        self.n_clusters_ = len(analyst.centers)
        self.n_centers_ = sum(len(s.centers) for s in analyst.summaries.values())
        self.cluster_names_ = analyst.named.names
        self.labels_ = self._place(X)
        return self

    def _make_party(self, name: str, min_rows: int | None) -> Party:
        noise = None if self.epsilon is None else ConcentratedNoise(self.epsilon, self.delta)
        return Party(name, self._units, noise=noise, min_rows=min_rows)

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the cluster of each row, as an institution does at home.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        """
        check_is_fitted(self, "cluster_centers_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._place(X)

    def _place(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        labels: npt.NDArray[np.int64] = self.cluster_names_[
            place_rows(self._units, X, self._answer)
        ]
        return labels

    def _former(self) -> Named | None:
        if self.former_centers is None:
            return None
        centers = np.asarray(self.former_centers, dtype=np.float64)
        width = len(self._units.lower)
        if centers.ndim != 2 or centers.shape[1] != width or not np.isfinite(centers).all():
            raise ValueError(
                f"former_centers has shape {centers.shape}, must be (n_former, {width}), of finite "
                f"numbers: the cluster_centers_ of an earlier study of the same features."
            )
        return follow(self._units.scale(centers), None)
