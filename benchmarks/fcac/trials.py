"""The trials of FCAC [Masuyama2024]_: a set dealt to its clients, a method, its scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
)

from benchmarks.fcac.noise import published_noise
from benchmarks.fcac.splits import deal
from benchmarks.problems import Array, Cells, Labels
from consilience.baselines import MUFC, FedFCM, KFed
from consilience.continual.estimator import ContinualClustering
from consilience.datasets import Dataset, load

CLIENTS = {
    "hill-valley": 5,
    "ozone-level-8hr": 5,
    "bioresponse": 10,
    "phoneme": 10,
    "optdigits": 50,
    "pendigits": 50,
    "mozilla4": 10,
    "magic": 50,
    "fashion-mnist": 100,
    "skin_segmentation": 100,
}
"""Number of clients of each set (Table 2)."""
SETTINGS = {"iid": ("Table 3", "iid"), "non-iid": ("Table 4", "dirichlet")}
METHODS = ("k-means", "k-FED", "FedFCM", "MUFC", "FCAC")
IMPROVED = "FCAC improved"
METRICS = ("ARI", "AMI", "NMI")


def trial(
    name: str, data: Path | None, setting: str, seed: int, epsilon: float | None, method: str
) -> Cells:
    """Deal a set to its clients, run a method and score it.

    With an epsilon, the published noise is on the rows. For FCAC the cells also say how much was
    made and sent.
    """
    problem = _problem(name, data, setting, seed, epsilon)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = _MODELS[method](problem)
    column = setting if epsilon is None else f"{setting}, epsilon {epsilon:g}"
    cell = (SETTINGS[setting][0], name, column, method)
    yield (*cell, "ARI"), adjusted_rand_score(problem.y, model.labels_)
    yield (*cell, "AMI"), adjusted_mutual_info_score(problem.y, model.labels_)
    yield (*cell, "NMI"), normalized_mutual_info_score(problem.y, model.labels_)
    if isinstance(model, ContinualClustering):
        yield (*cell, "nodes"), model.n_nodes_
        yield (*cell, "clusters"), model.n_clusters_
        yield (*cell, "nodes sent"), model.n_sent_
        yield (*cell, "nodes equal to a row"), model.copies_


@dataclass(frozen=True)
class Problem:
    """Rows in the order in which clients present them, their classes, and who holds what."""

    X: Array
    y: Labels
    parties: npt.NDArray[np.intp]
    seed: int

    @property
    def k(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest values, of the noise as well."""
        return self.X.min(axis=0), self.X.max(axis=0)


@lru_cache(maxsize=1)
def _load(name: str, data: Path | None) -> Dataset:
    return load(name, data=data)


@lru_cache(maxsize=1)
def _problem(
    name: str, data: Path | None, setting: str, seed: int, epsilon: float | None
) -> Problem:
    """Deal the rows once for all methods; noise is added client by client, and nothing clips it."""
    dataset = _load(name, data)
    rows, parties = deal(dataset.y, CLIENTS[name], SETTINGS[setting][1], seed)
    X = dataset.X[rows]
    if epsilon is not None:
        for party in np.unique(parties):
            X[parties == party] = published_noise(X[parties == party], epsilon, seed)
    return Problem(X, dataset.y[rows], parties, seed)


def _fit(model: Any, problem: Problem) -> Any:
    return model.fit(problem.X, parties=problem.parties)


_MODELS: dict[str, Callable[[Problem], Any]] = {
    "k-means": lambda p: KMeans(p.k, n_init=10, max_iter=100, random_state=p.seed).fit(p.X),
    "k-FED": lambda p: _fit(KFed(p.k, random_state=p.seed), p),
    "FedFCM": lambda p: _fit(FedFCM(p.k, random_state=p.seed), p),
    "MUFC": lambda p: _fit(MUFC(p.k, random_state=p.seed), p),
    "FCAC": lambda p: _fit(ContinualClustering(random_state=0), p),
    IMPROVED: lambda p: _fit(
        ContinualClustering(profile="improved", bounds=p.bounds, random_state=0), p
    ),
}
