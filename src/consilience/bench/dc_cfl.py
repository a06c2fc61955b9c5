"""Tables 2 and 3 and Figures 2 and 3 of DC-CFL [Sugawara2026]_, and what the paper leaves open.

Settings as the published figures need them: columns standardised over all rows, 1,000 anchor rows,
affine maps, the scaled target, a full orthonormal basis for institutions with few rows, and the
network [64, 32] with plain stochastic gradient descent. Beyond the paper: bytes, a threshold
without validation rows, and stronger learners.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.progress import Progress
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from consilience.baselines import LocalNetworks
from consilience.bench.dc_cfl_bytes import bytes_down, bytes_up
from consilience.bench.dc_cfl_methods import (
    FEDERATED,
    N_ROUNDS,
    Collaboration,
    Thresholds,
    choose_settings,
    local_accuracy,
    watch,
)
from consilience.bench.dc_cfl_page import write_page
from consilience.bench.dc_cfl_problems import SETS, SPLITS, Problem, draw_problem
from consilience.bench.tables import Trials, compare, published, write_csv
from consilience.collaboration.clustered.analyst import CANDIDATES
from consilience.exceptions import MissingExtraError

__all__ = ["run"]

DEFAULT_TRIALS = 10
FIGURE = ("covertype", "C=3")
"""The column of Figure 2."""
LONG = 50
"""Rounds after which FedClust gives up in Table 3."""

Curves = dict[tuple[str, str, str], list[list[float]]]


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results, the pictures and the page.

    Parameters
    ----------
    trials : int or None
        Runs per column, seeds 0, 1, ...; None means 10, as in the paper. Stronger learners have a
        fifth of them, at least one.
    data : Path or None
        Folder with the data sets.
    out : Path
        Root under which ``benchmarks/results`` and ``docs`` are written.
    progress : rich.progress.Progress

    Yields
    ------
    Path
        Each file written.
    """
    trials = trials or DEFAULT_TRIALS
    few = max(1, trials // 5)
    budget = f"{trials} runs of {len(SETS) * len(SPLITS)} columns, {few} with stronger learners"
    progress.console.print(f"budget: {budget}")
    task = progress.add_task("DC-CFL", total=len(SETS) * len(SPLITS) * trials)
    measured, curves, over_t = Trials(), Curves(), list[tuple[str, float, int, float]]()
    for name in SETS:
        for split in SPLITS:
            settings = _settings(name, split, data, measured)
            for seed in range(trials):
                problem = draw_problem(name, split, seed, data)
                column = _Column(measured, name, split, problem)
                column.networks()
                column.federated(settings, curves)
                if name == "covertype" and split != "Dir(0.1)":
                    over_t += column.over_thresholds()
                if seed < few:
                    column.learners()
                progress.advance(task)
    _table_3(measured, curves)
    results = out / "benchmarks" / "results"
    tables = {
        "dc-cfl": compare(measured.summary(), published("dc_cfl")),
        "dc-cfl-rounds": _mean_curves(curves),
        "dc-cfl-thresholds": pd.DataFrame(over_t, columns=["setting", "t", "seed", "accuracy"]),
    }
    for name, table in tables.items():
        write_csv(table, results / f"{name}.csv")
        yield results / f"{name}.csv"
    yield from write_page(results, out / "docs")


def _settings(
    name: str, split: str, data: Path | None, measured: Trials
) -> dict[str, dict[str, Any]]:
    """Choose the settings of a column's multi-round methods on the validation rows of run 0."""
    problem = draw_problem(name, split, 0, data)
    chosen = {m: choose_settings(problem, m) for m in FEDERATED if m != "FedClust"}
    for method, settings in chosen.items():
        for setting, value in settings.items():
            measured.add(("Chosen", name, split, method, setting), value)
    return chosen


class _Column:
    """All that is measured in one run of one column."""

    def __init__(self, measured: Trials, name: str, split: str, problem: Problem) -> None:
        self.measured, self.name, self.split, self.problem = measured, name, split, problem
        self.collaboration = Collaboration(problem, LocalNetworks())
        self.thresholds = Thresholds(self.collaboration)
        self.threshold = 0.0

    def networks(self) -> None:
        """Local, DC and DC-CFL with the network."""
        self._add("Local", "accuracy", local_accuracy(self.problem, LocalNetworks()))
        self._add("DC", "accuracy", self.collaboration.one_model())
        model, accuracy = self.collaboration.groups("auto")
        self.threshold = model.threshold_
        self.thresholds.tell(self.threshold, accuracy)
        self._add("DC-CFL", "accuracy", accuracy)
        self._add("DC-CFL", "t", self.threshold)
        self._add("DC-CFL", "groups", self.thresholds.n_groups(self.threshold))
        gap = self.thresholds.gap
        self._add("DC-CFL (gap)", "accuracy", self.thresholds.accuracy(gap))
        self._add("DC-CFL (gap)", "t", gap)
        self._add("DC-CFL (gap)", "groups", self.thresholds.n_groups(gap))
        for method in ("DC", "DC-CFL"):
            self._add(method, "bytes up", bytes_up(self.problem))
            self._add(method, "bytes down", bytes_down(self.problem))

    def federated(self, settings: dict[str, dict[str, Any]], curves: Curves) -> None:
        """Train the multi-round methods: five rounds, or fifty where a curve is wanted."""
        threshold = choose_settings(self.problem, "FedClust")
        self._add("FedClust", "t", threshold["threshold"])
        for method, chosen in {**settings, "FedClust": threshold}.items():
            wanted = (self.name, self.split) == FIGURE or (
                method == "FedClust" and self.split != "Dir(0.1)"
            )
            model, curve = watch(self.problem, method, chosen, LONG if wanted else N_ROUNDS)
            self._add(method, "accuracy", curve[N_ROUNDS - 1])
            if wanted:
                curves.setdefault((self.name, self.split, method), []).append(curve)
            network = model.networks_[0].nbytes
            self._add(method, "bytes up", N_ROUNDS * model.n_exchanged * network)
            self._add(
                method, "bytes down", (N_ROUNDS * model.n_exchanged + model.n_final) * network
            )

    def over_thresholds(self) -> list[tuple[str, float, int, float]]:
        """Return the accuracy at each threshold, for Figure 3."""
        seed = self.problem.seed
        return [(self.split, t, seed, self.thresholds.accuracy(t)) for t in CANDIDATES]

    def learners(self) -> None:
        """Local, DC and DC-CFL with stronger learners, grouped as the network chose."""
        for name, learner in _learners().items():
            there = Collaboration(self.problem, learner)
            for method, accuracy in (
                ("Local", local_accuracy(self.problem, learner)),
                ("DC", there.one_model()),
                ("DC-CFL", there.groups(self.threshold)[1]),
            ):
                cell = (f"Learner: {name}", self.name, self.split, method, "accuracy")
                self.measured.add(cell, accuracy)

    def _add(self, method: str, metric: str, value: float) -> None:
        self.measured.add(("Table 2", self.name, self.split, method, metric), value)


def _table_3(measured: Trials, curves: Curves) -> None:
    """Add the rounds after which the mean curve of FedClust reaches the mean of DC-CFL."""
    for (name, split, method), runs in curves.items():
        goal = measured.mean(("Table 2", name, split, "DC-CFL", "accuracy"))
        reached = np.flatnonzero(np.mean(runs, axis=0) >= goal)
        if len(reached):
            measured.add(("Table 3", name, split, method, "rounds"), float(reached[0] + 1))


def _mean_curves(curves: Curves) -> pd.DataFrame:
    rows = [
        (*cell, k + 1, mean)
        for cell, runs in curves.items()
        for k, mean in enumerate(np.mean(runs, axis=0))
    ]
    return pd.DataFrame(rows, columns=["data", "setting", "method", "round", "accuracy"])


def _learners() -> dict[str, Any]:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("gradient boosting", "xgboost", "boost") from error
    return {
        "random forest": RandomForestClassifier(),
        "gradient boosting": XGBClassifier(n_jobs=1),
        "logistic regression": LogisticRegression(max_iter=300),
    }
