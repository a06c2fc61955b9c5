"""What the trials of FCAC [Masuyama2024]_ are about: a set dealt to its clients, and its scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
)

from benchmarks.fcac.noise import published_noise
from benchmarks.fcac.splits import deal
from benchmarks.problems import Array, Cells, Labels
from consilience.datasets import Dataset, available, load

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
METRICS = ("ARI", "AMI", "NMI")
_PUBLISHED_ORDER = {"pendigits": "pendigits_openml"}
"""Files with the rows in the order of the published tables, preferred where they are at hand."""


@dataclass(frozen=True)
class Problem:
    """Rows in the order in which clients present them, their classes, and who holds what.

    ``X`` is what is learnt from, with noise if there is any; ``clean`` are the rows themselves,
    which are labelled and scored.
    """

    X: Array
    clean: Array
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


def file_of(name: str, data: Path | None) -> str:
    """Return the set to load: its rows in the published order, where they are at hand."""
    published = _PUBLISHED_ORDER.get(name, name)
    return published if published in available(data) else name


@lru_cache(maxsize=1)
def load_set(name: str, data: Path | None) -> Dataset:
    """Load a set once for all trials in a row."""
    return load(file_of(name, data), data=data)


@lru_cache(maxsize=1)
def find_problem(
    name: str, data: Path | None, setting: str, seed: int, epsilon: float | None
) -> Problem:
    """Deal the rows once for all methods; noise is added client by client, and nothing clips it."""
    dataset = load_set(name, data)
    rows, parties = deal(dataset.y, CLIENTS[name], SETTINGS[setting][1], seed)
    clean = X = dataset.X[rows]
    if epsilon is not None:
        X = clean.copy()
        for party in np.unique(parties):
            X[parties == party] = published_noise(X[parties == party], epsilon, seed)
    return Problem(X, clean, dataset.y[rows], parties, seed)


def score(
    name: str, setting: str, epsilon: float | None, method: str, problem: Problem, labels: Labels
) -> Cells:
    """Yield the scores of a method's labels of the rows without noise, as the paper scores them."""
    cell = cell_of(name, setting, epsilon, method)
    yield (*cell, "ARI"), adjusted_rand_score(problem.y, labels)
    yield (*cell, "AMI"), adjusted_mutual_info_score(problem.y, labels)
    yield (*cell, "NMI"), normalized_mutual_info_score(problem.y, labels)


def cell_of(
    name: str, setting: str, epsilon: float | None, method: str
) -> tuple[str, str, str, str]:
    """Return table, set, column and method of a score."""
    column = setting if epsilon is None else f"{setting}, epsilon {epsilon:g}"
    return SETTINGS[setting][0], name, column, method
