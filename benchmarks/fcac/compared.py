"""The trials of the methods that FCAC [Masuyama2024]_ is compared with.

They are a file of their own so that a change of ours does not measure them anew.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from benchmarks.fcac.problem import Problem, find_problem, score
from benchmarks.problems import Cells
from consilience.baselines import MUFC, FedFCM, KFed


def compared_trial(
    name: str, data: Path | None, setting: str, seed: int, epsilon: float | None, method: str
) -> Cells:
    """Deal a set to its clients, run a compared method told the number of classes, and score it.

    With an epsilon, the published noise is on the rows that are learnt from.
    """
    problem = find_problem(name, data, setting, seed, epsilon)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = _MODELS[method](problem)
    labels = model.labels_ if epsilon is None else model.predict(problem.clean)
    yield from score(name, setting, epsilon, method, problem, labels)


def _fit(model: Any, problem: Problem) -> Any:
    return model.fit(problem.X, parties=problem.parties)


_MODELS: dict[str, Callable[[Problem], Any]] = {
    "k-means": lambda p: KMeans(p.k, n_init=10, max_iter=100, random_state=p.seed).fit(p.X),
    "k-FED": lambda p: _fit(KFed(p.k, random_state=p.seed), p),
    "FedFCM": lambda p: _fit(FedFCM(p.k, random_state=p.seed), p),
    "MUFC": lambda p: _fit(MUFC(p.k, random_state=p.seed), p),
}
COMPARED = tuple(_MODELS)
