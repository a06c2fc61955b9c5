"""The methods of the VertCoHiRF tables: what is searched, and what each peer ends up with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.kernel_approximation import RBFSampler

from consilience import ConsensusClustering
from consilience.baselines import CoresetKMeans, DistributedKMeans, dpfmps
from consilience.baselines.li import MAX_CELLS
from consilience.bench.tuning import Range
from consilience.consensus import KernelKMeans, SubspaceGraphClustering

__all__ = ["METHODS", "Method"]

Labels = list[npt.NDArray[np.int64]]
Views = list[Any]
Array = npt.NDArray[np.float64]
CLUSTERS: dict[str, Range] = {"n_clusters": (2, 30)}
REPEATS: dict[str, Range] = {"n_repeats": (2, 10), "feature_fraction": (0.1, 1.0)}
MAX_DISTINCT, MAX_SKETCHES = 8_000, 256


@dataclass(frozen=True)
class Method:
    """A row of the tables.

    Parameters
    ----------
    space : dict of str to (low, high)
        Tables 3 and 4 of the paper.
    fit : callable
        From (parameters, X, columns of the peers, seed) to one label vector per peer.
    """

    space: dict[str, Range]
    fit: Callable[[dict[str, Any], Array, Views, int], Labels]


class RoundedDBSCAN(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """DBSCAN on rows rounded to a tenth of the radius, for tables of tens of thousands of rows.

    Exact DBSCAN keeps every pair of neighbours, which is most of all pairs when the radius is of
    the size of the table. Rounding moves a row by at most a twentieth of the radius per column.
    More than 8,000 distinct rounded rows are refused.
    """

    def __init__(self, eps: float = 0.5, min_samples: int = 5) -> None:
        self.eps = eps
        self.min_samples = min_samples

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Label the rows, -1 for noise."""
        lattice = np.round(np.asarray(X) / (self.eps / 10))
        cells, place, count = np.unique(lattice, axis=0, return_inverse=True, return_counts=True)
        if len(cells) > MAX_DISTINCT:
            raise MemoryError(f"{len(cells)} distinct rows")
        model = DBSCAN(eps=10.0, min_samples=self.min_samples)
        return model.fit_predict(cells, sample_weight=count)[place.ravel()]


class DistinctKernelKMeans(KernelKMeans):
    """Kernel k-means on distinct rows with weights, for one-hot tables with few of them."""

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Any:
        """Label the rows."""
        cells, place, count = np.unique(X, axis=0, return_inverse=True, return_counts=True)
        random = np.random.RandomState(self.random_state)
        features = RBFSampler(
            gamma=self.gamma, n_components=self.n_components, random_state=random
        ).fit_transform(cells)
        model = KMeans(min(self.n_clusters, len(cells)), random_state=random)
        return model.fit(features, sample_weight=count).labels_[place.ravel()]


def _alone(p: dict[str, Any], X: Array, views: Views, seed: int) -> Labels:
    k = min(p["n_clusters"], len(X))
    return [KMeans(k, n_init=3, random_state=seed).fit_predict(X[:, v]) for v in views]


def _ding(p: dict[str, Any], X: Array, views: Views, seed: int) -> Labels:
    k = min(p["n_clusters"], len(X))
    return DistributedKMeans(k, columns=views, random_state=seed).fit(X).peer_labels_


def _huang(p: dict[str, Any], X: Array, views: Views, seed: int) -> Labels:
    k = min(p["n_clusters"], len(X))
    return CoresetKMeans(k, columns=views, random_state=seed).fit(X).peer_labels_


def _li(weights: Any) -> Callable[[dict[str, Any], Array, Views, int], Labels]:
    def fit(p: dict[str, Any], X: Array, views: Views, seed: int) -> Labels:
        # The grid has k ** peers cells; more peers leave room for fewer clusters.
        largest = int(MAX_CELLS ** (1 / len(views)) + 1e-9)
        k = min(p["n_clusters"], len(X), largest)
        n_sketches = int(np.clip(len(X) // 10, 16, MAX_SKETCHES))
        return dpfmps(
            X, k, columns=views, epsilon=1.0, weights=weights, n_sketches=n_sketches
        ).peer_labels

    return fit


def _consensus(
    base: Callable[[dict[str, Any]], Any], relaxed: bool = False
) -> Callable[[dict[str, Any], Array, Views, int], Labels]:
    def fit(p: dict[str, Any], X: Array, views: Views, seed: int) -> Labels:
        model = ConsensusClustering(
            base(p),
            columns=views,
            n_repeats=p.get("n_repeats", 1),
            feature_fraction=p.get("feature_fraction", 1.0),
            relaxed=relaxed,
            max_singletons=1.0,
            random_state=seed,
        )
        return [model.fit(X).labels_] * len(views)

    return fit


def _kmeans(p: dict[str, Any]) -> KMeans:
    return KMeans(p["n_clusters"])


def _dbscan(p: dict[str, Any]) -> DBSCAN:
    return DBSCAN(eps=p["eps"], min_samples=p["min_samples"])


def _rounded(p: dict[str, Any]) -> RoundedDBSCAN:
    return RoundedDBSCAN(eps=p["eps"], min_samples=p["min_samples"])


def _kernel(p: dict[str, Any]) -> DistinctKernelKMeans:
    return DistinctKernelKMeans(p["n_clusters"], gamma=p["gamma"])


def _srgf(p: dict[str, Any]) -> SubspaceGraphClustering:
    return SubspaceGraphClustering(
        p["n_clusters"], n_graphs=p["n_graphs"], sampling_ratio=p["sampling_ratio"]
    )


_DENSITY: dict[str, Range] = {**REPEATS, "eps": (0.1, 10.0), "min_samples": (2, 50)}
_GRAPHS: dict[str, Range] = {**CLUSTERS, "n_graphs": (10, 30), "sampling_ratio": (0.2, 0.8)}

METHODS: dict[str, Method] = {
    "k-means alone": Method(CLUSTERS, _alone),
    "Distr.KMeans": Method(CLUSTERS, _ding),
    "CoresetKMeans": Method(CLUSTERS, _huang),
    "DPFMPS": Method(CLUSTERS, _li("sketch")),
    "DPFMPS-2PEst": Method(CLUSTERS, _li("two-way")),
    "VertCoHiRF(k-means)": Method({**CLUSTERS, **REPEATS}, _consensus(_kmeans)),
    "VertCoHiRF*(k-means)": Method({**CLUSTERS, **REPEATS}, _consensus(_kmeans, True)),
    "VertCoHiRF(SC-SRGF)": Method(_GRAPHS, _consensus(_srgf)),
    "VertCoHiRF(DBSCAN)": Method(_DENSITY, _consensus(_rounded)),
    "VertCoHiRF*(DBSCAN)": Method(_DENSITY, _consensus(_dbscan, True)),
    "VertCoHiRF*(DBSCAN), rounded": Method(_DENSITY, _consensus(_rounded, True)),
    "VertCoHiRF*(KK)": Method(
        {**CLUSTERS, **REPEATS, "gamma": (0.1, 30.0)}, _consensus(_kernel, True)
    ),
}
