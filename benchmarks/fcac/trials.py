"""One trial of the FCAC benchmark: a set dealt to its clients, a method, its scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
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
from consilience.baselines import MUFC, FedFCM, KFed
from consilience.continual import ContinualClustering
from consilience.datasets import Dataset

__all__ = ["CLIENTS", "IMPROVED", "METHODS", "METRICS", "SETTINGS", "Trial"]

FloatArray = npt.NDArray[np.float64]

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


@dataclass(frozen=True)
class Trial:
    """A set dealt to its clients with one seed, and possibly the published noise on it.

    Parameters
    ----------
    dataset : Dataset
    setting : {"iid", "non-iid"}
    seed : int
    epsilon : float, optional
        Of the published noise.
    """

    dataset: Dataset
    setting: str
    seed: int
    epsilon: float | None = None

    @property
    def key(self) -> str:
        """What this trial is called in a journal."""
        noise = "" if self.epsilon is None else f", epsilon {self.epsilon:g}"
        return f"{self.dataset.name}, {self.setting}, seed {self.seed}{noise}"

    def score(self, method: str) -> dict[str, float]:
        """Run a method and return its scores, and for FCAC how much was made and sent.

        Parameters
        ----------
        method : str
            One of ``METHODS``, or ``IMPROVED``.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = _MODELS[method](self._problem)
        y = self._problem.y
        scores = {
            "ARI": adjusted_rand_score(y, model.labels_),
            "AMI": adjusted_mutual_info_score(y, model.labels_),
            "NMI": normalized_mutual_info_score(y, model.labels_),
        }
        if isinstance(model, ContinualClustering):
            scores |= {"nodes": model.n_nodes_, "clusters": model.n_clusters_}
            scores |= {"nodes sent": model.n_sent_, "nodes equal to a row": model.copies_}
        return scores

    @cached_property
    def _problem(self) -> _Problem:
        """The rows, dealt only when a method needs them."""
        dataset = self.dataset
        rows, parties = deal(dataset.y, CLIENTS[dataset.name], SETTINGS[self.setting][1], self.seed)
        problem = _Problem(dataset.X[rows], dataset.y[rows], parties, self.seed)
        return problem if self.epsilon is None else _add_noise(problem, self.epsilon)


@dataclass(frozen=True)
class _Problem:
    """Rows in the order in which clients present them, their classes, and who holds what."""

    X: FloatArray
    y: npt.NDArray[np.int64]
    parties: npt.NDArray[np.intp]
    seed: int

    @property
    def k(self) -> int:
        return int(self.y.max()) + 1

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        return self.X.min(axis=0), self.X.max(axis=0)


def _add_noise(problem: _Problem, epsilon: float) -> _Problem:
    """Add the published noise client by client; the bounds grow with it, as nothing clips."""
    X = np.empty_like(problem.X)
    for party in np.unique(problem.parties):
        rows = problem.parties == party
        X[rows] = published_noise(problem.X[rows], epsilon, problem.seed)
    return replace(problem, X=X)


def _fit(model: Any, problem: _Problem) -> Any:
    return model.fit(problem.X, parties=problem.parties)


_MODELS: dict[str, Callable[[_Problem], Any]] = {
    "k-means": lambda p: KMeans(p.k, n_init=10, max_iter=100, random_state=p.seed).fit(p.X),
    "k-FED": lambda p: _fit(KFed(p.k, random_state=p.seed), p),
    "FedFCM": lambda p: _fit(FedFCM(p.k, random_state=p.seed), p),
    "MUFC": lambda p: _fit(MUFC(p.k, random_state=p.seed), p),
    "FCAC": lambda p: _fit(ContinualClustering(random_state=0), p),
    IMPROVED: lambda p: _fit(
        ContinualClustering(profile="improved", bounds=p.bounds, random_state=0), p
    ),
}
