"""A peer chooses how to cluster its own columns: by itself, without classes and without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import silhouette_score

__all__ = ["DensityGroups", "OwnChoice"]

MAX_TRIED, MAX_DENSITY_ROWS = 1_000, 10_000
SEED = 0


class OwnChoice(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Density clusters where there are any, else k-means with the best silhouette.

    HDBSCAN is taken if it leaves little as noise and no group holds nearly everything: then the
    columns have groups of some shape. Otherwise k-means is tried with every number of groups, and
    the number with the largest mean silhouette is taken. A peer chooses once, on the rows all peers
    hold, and keeps to it in later iterations.

    Parameters
    ----------
    max_noise : float, default=0.1
        Share of the rows that HDBSCAN may call noise.
    max_share : float, default=0.9
        Share of the rows its largest group may hold.
    max_groups : int, default=10
        Most groups that k-means is tried with.

    Examples
    --------
    Two rings, which k-means cannot tell apart:

    >>> angle = np.linspace(0, 6.28, 200)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> OwnChoice().choose(np.vstack([ring, 4 * ring]))
    DensityGroups(copy=True, min_cluster_size=20, min_samples=5)

    Piles that touch:

    >>> rng = np.random.default_rng(0)
    >>> piles = rng.normal(size=(300, 2)) + 4 * np.repeat([[0, 0], [0, 1], [1, 0]], 100, axis=0)
    >>> OwnChoice().choose(piles)
    KMeans(n_clusters=3, n_init=10)
    """

    def __init__(
        self, max_noise: float = 0.1, max_share: float = 0.9, max_groups: int = 10
    ) -> None:
        self.max_noise = max_noise
        self.max_share = max_share
        self.max_groups = max_groups

    def choose(self, X: npt.NDArray[np.float64]) -> Any:
        """Return the clusterer for these rows; the same rows give the same one."""
        rows = np.random.default_rng(SEED).permutation(len(X))[:MAX_TRIED]
        tried = X[np.sort(rows)]
        if len(tried) >= 4 * self.max_groups and len(X) <= MAX_DENSITY_ROWS:
            dense = _density(len(X))
            if self._has_groups(HDBSCAN(**_density(len(tried)).get_params()).fit_predict(tried)):
                return dense
        return KMeans(self._best_number(tried), n_init=10)

    def _has_groups(self, labels: npt.NDArray[np.int64]) -> bool:
        sizes = np.bincount(labels[labels >= 0], minlength=1)
        noise = (labels < 0).mean()
        return bool(
            len(sizes) > 1
            and noise <= self.max_noise
            and sizes.max() <= self.max_share * len(labels)
        )

    def _best_number(self, X: npt.NDArray[np.float64]) -> int:
        n_distinct = len(np.unique(X, axis=0))
        scores = {}
        for k in range(2, min(self.max_groups, n_distinct - 1) + 1):
            labels = KMeans(k, n_init=3, random_state=SEED).fit_predict(X)
            scores[k] = silhouette_score(X, labels)
        return max(scores, key=lambda k: scores[k], default=max(1, min(2, n_distinct)))

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Choose, and cluster the same rows."""
        return self.choose(np.asarray(X, dtype=np.float64)).fit_predict(X)


class DensityGroups(HDBSCAN):  # type: ignore[misc]
    """HDBSCAN whose noise belongs to the group of the nearest row that has one.

    A row that is its own group ends up as a cluster of its own for everyone.

    Examples
    --------
    >>> X = np.r_[np.linspace(0, 1, 20), np.linspace(5, 6, 20), 2.0][:, None]
    >>> DensityGroups(min_cluster_size=5, copy=True).fit_predict(X)[[0, 20, 40]]
    array([0, 1, 0])
    """

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Label the rows; all are noise if there is no group."""
        labels = np.asarray(super().fit_predict(X))
        noise = labels < 0
        if noise.any() and not noise.all():
            nearest = KDTree(X[~noise]).query(X[noise])[1]
            labels[noise] = labels[~noise][nearest]
        return labels


def _density(n_rows: int) -> HDBSCAN:
    return DensityGroups(min_cluster_size=max(5, n_rows // 20), min_samples=5, copy=True)
