"""The trials of FCAC [Masuyama2024]_ itself, as published and as improved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.fcac.problem import cell_of, find_problem, score
from benchmarks.problems import Cells
from consilience.continual.estimator import ContinualClustering

FCAC, IMPROVED = "FCAC", "FCAC improved"


def trial(
    name: str, data: Path | None, setting: str, seed: int, epsilon: float | None, method: str
) -> Cells:
    """Deal a set to its clients, run FCAC told nothing, score it, and say how much was sent.

    With an epsilon, the published noise is on the rows that are learnt from.
    """
    problem = find_problem(name, data, setting, seed, epsilon)
    settings: dict[str, Any] = {}
    if method == IMPROVED:
        settings = {"profile": "improved", "bounds": problem.bounds}
    model = ContinualClustering(**settings, random_state=0)
    model.fit(problem.X, parties=problem.parties)
    labels = model.labels_ if epsilon is None else model.predict(problem.clean)
    yield from score(name, setting, epsilon, method, problem, labels)
    cell = cell_of(name, setting, epsilon, method)
    yield (*cell, "nodes"), model.n_nodes_
    yield (*cell, "clusters"), model.n_clusters_
    yield (*cell, "nodes sent"), model.n_sent_
    yield (*cell, "nodes equal to a row"), model.copies_
