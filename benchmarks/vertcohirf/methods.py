"""The methods of the VertCoHiRF tables: what is searched, and what each peer ends up with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.utils import check_random_state

from benchmarks.problems import Array, Labels
from benchmarks.vertcohirf.tuning import Range
from consilience import ConsensusClustering
from consilience.baselines import CoresetKMeans, DistributedKMeans, dpfmps
from consilience.baselines.ding import cell_centres
from consilience.baselines.li import MAX_CELLS
from consilience.baselines.weighted_kmeans import weighted_kmeans
from consilience.consensus.bases import cluster_once
from consilience.consensus.codes import unanimous
from consilience.consensus.kernel_kmeans import KernelKMeans
from consilience.consensus.local_step import LocalStep
from consilience.consensus.srgf import SubspaceGraphClustering

Views = list[Any]
Parameters = dict[str, Any]
Fit = Callable[[Parameters, Array, Views, int], list[Labels]]
MakeStep = Callable[[Parameters], LocalStep]
CLUSTERS: dict[str, Range] = {"n_clusters": (2, 30)}
REPEATS: dict[str, Range] = {"n_repeats": (2, 10), "feature_fraction": (0.1, 1.0)}
DENSITY: dict[str, Range] = {"eps": (0.1, 10.0), "min_samples": (2, 50)}
GRAPHS: dict[str, Range] = {**CLUSTERS, "n_graphs": (10, 30), "sampling_ratio": (0.2, 0.8)}
SCRIPTS: dict[str, Range] = {"n_clusters": (2, 5), "feature_fraction": (0.1, 0.6)}
"""What the published scripts search for VertCoHiRF, narrower than the paper's tables say."""
ALONE = "k-means alone"
MISREAD = "Distr.KMeans, published grid"
"""With the fault of the published code for three peers."""

CAI = "VertCoHiRF(SC-SRGF of Cai2020)"
"""With the base as its own paper has it; the published one counts rows as their own neighbours."""

MAX_EXACT, MAX_ROUNDED, MAX_SKETCHES = 2_000, 8_000, 256


@dataclass(frozen=True)
class Method:
    """A method of the tables, with the search space of the paper's Tables 3 and 4.

    ``fit`` goes from parameters, rows, the columns of the peers and a seed to one label vector per
    peer. The peers share one setting, unless each is tuned ``apart``. A consensus has the local
    ``step`` that parameters make.
    """

    space: dict[str, Range]
    fit: Fit
    apart: bool = False
    step: MakeStep | None = None


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


def _grid(make: Any) -> Fit:
    def fit(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
        model = make(min(p["n_clusters"], len(X)), columns=views, random_state=seed)
        return list(model.fit(X).peer_labels_)

    return fit


def _ding_misread(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
    """Look cells up in the order of the published code, right for two peers.

    Its grid runs over the last peer first, its rows are numbered by the first peer first. With
    three peers, label 1 finds the centre of peer 0, label 2 that of peer 1 and label 0 that of
    peer 2.
    """
    k, random = min(p["n_clusters"], len(X)), check_random_state(seed)
    labels, centres = zip(*(weighted_kmeans(X[:, view], k, random) for view in views), strict=True)
    cells = unanimous(np.column_stack(labels))
    grid = cell_centres(cells, list(zip((*labels[1:], labels[0]), centres, strict=True)))
    weights = np.bincount(cells).astype(np.float64)
    return [weighted_kmeans(grid, k, random, weights)[0][cells]]


def _li(weights: Any) -> Fit:
    def fit(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
        # The grid has k ** peers cells; more peers leave room for fewer clusters.
        largest = int(MAX_CELLS ** (1 / len(views)) + 1e-9)
        k = min(p["n_clusters"], len(X), largest)
        n_sketches = int(np.clip(len(X) // 10, 16, MAX_SKETCHES))
        return dpfmps(
            X, k, columns=views, epsilon=1.0, weights=weights, n_sketches=n_sketches
        ).peer_labels

    return fit


def _alone(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
    k = min(p["n_clusters"], len(X))
    return [KMeans(k, random_state=seed).fit(X[:, view]).labels_ for view in views]


def _agree(
    space: dict[str, Range], make: Callable[..., Any], relaxed: float | None = None
) -> Method:
    def step(p: Parameters) -> LocalStep:
        repeats = {name: value for name, value in p.items() if name in REPEATS}
        base = make(**{name: value for name, value in p.items() if name not in REPEATS})
        return LocalStep(base, relaxed=relaxed, **repeats)

    def fit(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
        return _consent([step(p)] * len(views), X, views, seed)

    return Method(space, fit, step=step)


def _consent(steps: list[LocalStep], X: Array, views: Views, seed: int) -> list[Labels]:
    model = ConsensusClustering(steps, columns=views, max_singletons=1.0, random_state=seed)
    return [np.asarray(model.fit(X).labels_)]


def scripted(method: Method) -> Method:
    """Return a consensus with the search space of the published scripts."""
    return replace(
        method, space={name: SCRIPTS.get(name, ends) for name, ends in method.space.items()}
    )


def each_its_own(method: Method, n_peers: int) -> Method:
    """Return a consensus in which every peer has a setting of its own, all tuned together."""
    step = method.step
    assert step is not None

    def fit(p: Parameters, X: Array, views: Views, seed: int) -> list[Labels]:
        steps = [step({name: p[f"{name}, peer {k}"] for name in method.space}) for k in peers]
        return _consent(steps, X, views, seed)

    peers = range(n_peers)
    space = {f"{name}, peer {k}": ends for k in peers for name, ends in method.space.items()}
    return Method(space, fit)


_KMEANS: dict[str, Range] = {**CLUSTERS, **REPEATS}
_DBSCAN: dict[str, Range] = {**DENSITY, **REPEATS}
_KERNEL: dict[str, Range] = {**CLUSTERS, **REPEATS, "gamma": (0.1, 30.0)}

_COUNTING = partial(SubspaceGraphClustering, count_self=True)

METHODS: dict[str, Method] = {
    ALONE: Method(CLUSTERS, _alone, apart=True),
    "Distr.KMeans": Method(CLUSTERS, _grid(DistributedKMeans)),
    MISREAD: Method(CLUSTERS, _ding_misread),
    "CoresetKMeans": Method(CLUSTERS, _grid(CoresetKMeans)),
    "DPFMPS": Method(CLUSTERS, _li("sketch")),
    "DPFMPS-2PEst": Method(CLUSTERS, _li("two-way")),
    "VertCoHiRF(k-means)": _agree(_KMEANS, KMeans),
    "VertCoHiRF*(k-means)": _agree(_KMEANS, KMeans, 0.8),
    "VertCoHiRF(SC-SRGF)": _agree(GRAPHS, _COUNTING),
    CAI: _agree(GRAPHS, SubspaceGraphClustering),
    "VertCoHiRF(DBSCAN)": _agree(_DBSCAN, RoundedDBSCAN),
    "VertCoHiRF*(DBSCAN)": _agree(_DBSCAN, RoundedDBSCAN, 0.8),
    "VertCoHiRF*(KK)": _agree(_KERNEL, KernelKMeans, 0.8),
}
