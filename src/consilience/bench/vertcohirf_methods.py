"""The methods of the VertCoHiRF tables: what is searched, and what each peer ends up with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans

from consilience import ConsensusClustering
from consilience.baselines import CoresetKMeans, DistributedKMeans, dpfmps
from consilience.baselines.li import MAX_CELLS
from consilience.bench.tuning import Range
from consilience.consensus import KernelKMeans, LocalStep, SubspaceGraphClustering
from consilience.consensus.bases import cluster_once
from consilience.consensus.codes import unanimous
from consilience.consensus.local_step import local_labels

__all__ = ["METHODS", "NARROW", "Joint", "Peerwise", "agree"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Views = list[Any]
Parameters = dict[str, Any]
CLUSTERS: dict[str, Range] = {"n_clusters": (2, 30)}
REPEATS: dict[str, Range] = {"n_repeats": (2, 10), "feature_fraction": (0.1, 1.0)}
DENSITY: dict[str, Range] = {"eps": (0.1, 10.0), "min_samples": (2, 50)}
GRAPHS: dict[str, Range] = {**CLUSTERS, "n_graphs": (10, 30), "sampling_ratio": (0.2, 0.8)}
MAX_EXACT, MAX_ROUNDED, MAX_SKETCHES = 2_000, 8_000, 256


@dataclass(frozen=True)
class Joint:
    """A method whose peers share one setting.

    Parameters
    ----------
    space : dict of str to (low, high)
        Table 3 of the paper.
    fit : callable
        From (parameters, X, columns of the peers, seed) to one label vector per peer.
    """

    space: dict[str, Range]
    fit: Callable[[Parameters, Array, Views, int], list[Labels]]


@dataclass(frozen=True)
class Peerwise:
    """A method in which each peer has a setting of its own.

    Parameters
    ----------
    space : dict of str to (low, high)
        Tables 3 and 4 of the paper.
    step : callable
        From parameters to a peer's local step.
    together : bool, default=True
        Whether the peers then reach a consensus; False leaves each with its own labels.
    """

    space: dict[str, Range]
    step: Callable[[Parameters], LocalStep]
    together: bool = True

    def alone(self, parameters: Parameters, view: Array, seed: int) -> Labels:
        """Return the labels of one peer's local step, without the others."""
        return local_labels(view, self.step(parameters), seed=seed, peer=0, iteration=1)


def agree(steps: list[LocalStep], X: Array, views: Views, seed: int) -> Labels:
    """Return the labels on which peers with these steps agree."""
    model = ConsensusClustering(steps, columns=views, max_singletons=1.0, random_state=seed)
    return np.asarray(model.fit(X).labels_)


class RoundedDBSCAN(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """DBSCAN that rounds tables with many distinct rows to a tenth of the radius.

    Exact DBSCAN keeps every pair of neighbours, which is most of all pairs when the radius is of
    the size of the table. Up to 2,000 distinct rows it runs as it is; rounding moves a row by at
    most a twentieth of the radius per column. More than 8,000 rounded rows are refused.
    """

    def __init__(self, eps: float = 0.5, min_samples: int = 5) -> None:
        self.eps = eps
        self.min_samples = min_samples

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Label the rows; each noise point has a label of its own."""
        X = np.asarray(X)
        if _n_distinct(X) > MAX_EXACT:
            X = np.round(X / (self.eps / 10)) * (self.eps / 10)
            if (n_distinct := _n_distinct(X)) > MAX_ROUNDED:
                raise MemoryError(f"{n_distinct} distinct rows")
        exact = DBSCAN(eps=self.eps, min_samples=self.min_samples)
        return cluster_once(exact, X, np.random.default_rng(0))


def _n_distinct(X: Array) -> int:
    return int(unanimous(X).max()) + 1


def _ding(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
    k = min(p["n_clusters"], len(X))
    return DistributedKMeans(k, columns=views, random_state=seed).fit(X).peer_labels_


def _huang(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
    k = min(p["n_clusters"], len(X))
    return CoresetKMeans(k, columns=views, random_state=seed).fit(X).peer_labels_


def _li(weights: Any) -> Callable[[Parameters, Array, Views, int], list[Labels]]:
    def fit(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
        # The grid has k ** peers cells; more peers leave room for fewer clusters.
        largest = int(MAX_CELLS ** (1 / len(views)) + 1e-9)
        k = min(p["n_clusters"], len(X), largest)
        n_sketches = int(np.clip(len(X) // 10, 16, MAX_SKETCHES))
        return dpfmps(
            X, k, columns=views, epsilon=1.0, weights=weights, n_sketches=n_sketches
        ).peer_labels

    return fit


def _repeated(base: Callable[[Parameters], Any], relaxed: bool = False) -> Any:
    def step(p: Parameters) -> LocalStep:
        return LocalStep(
            base(p),
            n_repeats=p["n_repeats"],
            feature_fraction=p["feature_fraction"],
            relaxed=0.8 if relaxed else None,
        )

    return step


def _kmeans(p: Parameters) -> KMeans:
    return KMeans(p["n_clusters"])


def _dbscan(p: Parameters) -> RoundedDBSCAN:
    return RoundedDBSCAN(eps=p["eps"], min_samples=p["min_samples"])


def _kernel(p: Parameters) -> KernelKMeans:
    return KernelKMeans(p["n_clusters"], gamma=p["gamma"])


def _srgf(p: Parameters) -> LocalStep:
    return LocalStep(
        SubspaceGraphClustering(
            p["n_clusters"], n_graphs=p["n_graphs"], sampling_ratio=p["sampling_ratio"]
        )
    )


_KMEANS: dict[str, Range] = {**CLUSTERS, **REPEATS}
_DBSCAN: dict[str, Range] = {**DENSITY, **REPEATS}
_KERNEL: dict[str, Range] = {**CLUSTERS, **REPEATS, "gamma": (0.1, 30.0)}

METHODS: dict[str, Joint | Peerwise] = {
    "k-means alone": Peerwise(CLUSTERS, lambda p: LocalStep(_kmeans(p)), together=False),
    "Distr.KMeans": Joint(CLUSTERS, _ding),
    "CoresetKMeans": Joint(CLUSTERS, _huang),
    "DPFMPS": Joint(CLUSTERS, _li("sketch")),
    "DPFMPS-2PEst": Joint(CLUSTERS, _li("two-way")),
    "VertCoHiRF(k-means)": Peerwise(_KMEANS, _repeated(_kmeans)),
    "VertCoHiRF*(k-means)": Peerwise(_KMEANS, _repeated(_kmeans, relaxed=True)),
    "VertCoHiRF(SC-SRGF)": Peerwise(GRAPHS, _srgf),
    "VertCoHiRF(DBSCAN)": Peerwise(_DBSCAN, _repeated(_dbscan)),
    "VertCoHiRF*(DBSCAN)": Peerwise(_DBSCAN, _repeated(_dbscan, relaxed=True)),
    "VertCoHiRF*(KK)": Peerwise(_KERNEL, _repeated(_kernel, relaxed=True)),
}

NARROW = ", k 2-5"
"""Ends the name of a method whose number of groups is searched as the published scripts do it."""

METHODS |= {
    name + NARROW: replace(method, space={**method.space, "n_clusters": (2, 5)})
    for name, method in METHODS.items()
    if name.startswith("VertCoHiRF") and "n_clusters" in method.space
}
