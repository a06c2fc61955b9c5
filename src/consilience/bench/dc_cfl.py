"""Tables 2 and 3 and Figures 2 and 3 of DC-CFL [Sugawara2026]_, and what the paper leaves open.

Settings as the published figures need them: columns standardised over all rows, 1,000 anchor rows,
affine maps, the scaled target, a full orthonormal basis for institutions with few rows, and the
network [64, 32] with plain stochastic gradient descent. Beyond the paper: bytes, a threshold
without validation rows, and stronger learners.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

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
    local_accuracy,
    validate,
    watch,
)
from consilience.bench.dc_cfl_page import write_page
from consilience.bench.dc_cfl_problems import SETS, SPLITS, Problem, draw_problem
from consilience.bench.parts import measure_part, parts_folder, read_parts
from consilience.bench.tables import Trials, compare, published, write_csv
from consilience.collaboration.learning.clustered_analyst import CANDIDATES
from consilience.exceptions import MissingExtraError

__all__ = ["run"]

DEFAULT_TRIALS = 10
DIRICHLET = "Dir(0.1)"
FIGURE = ("covertype", "C=3")
"""The column of Figure 2."""
LONG = 50
"""Rounds after which FedClust gives up in Table 3."""

Cells = Iterator[tuple[tuple[str, ...], float]]


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results, the pictures and the page.

    What is measured is kept under ``benchmarks/parts``: a run that was stopped goes on, more runs
    add to it, and several processes share the work. Delete the folder to measure anew.

    Parameters
    ----------
    trials : int or None
        Runs per column, seeds 0, 1, ...; None means 10, as in the paper. Stronger learners have a
        fifth of them, at least one.
    data : Path or None
        Folder with the data sets.
    out : Path
        Root under which ``benchmarks`` and ``docs`` are written.
    progress : rich.progress.Progress

    Yields
    ------
    Path
        Each file written.
    """
    trials = trials or DEFAULT_TRIALS
    few = max(1, trials // 5)
    progress.console.print(
        f"budget: {trials} runs of {len(SETS) * len(SPLITS)} columns, {few} with stronger learners"
    )
    folder = parts_folder(out, "dc-cfl")
    task = progress.add_task("DC-CFL", total=len(SETS) * len(SPLITS) * trials)
    paths = []
    for column in product(SETS, SPLITS):
        name = re.sub(r"\W+", "-", "-".join(column)).strip("-")
        for seed in range(trials):
            part, learnt = folder / f"{name}-{seed}.csv", folder / f"{name}-{seed}-learners.csv"
            measure_part(part, partial(_methods, *column, seed, data))
            if part.exists() and seed < few:
                measure_part(learnt, partial(_stronger, *column, seed, data, part))
            paths += [part, learnt] if seed < few else [part]
            progress.advance(task)
    values = read_parts(paths)
    if values is None:
        progress.console.print("Some parts are with another run, which will write the page.")
        return
    yield from _write(values, out)


def _write(values: pd.DataFrame, out: Path) -> Iterator[Path]:
    results = out / "benchmarks" / "results"
    curves, over_t = values[values.table == "Figure 2"], values[values.table == "Figure 3"]
    curves = curves.assign(round=curves.metric.str.removeprefix("round ").astype(int))
    over_t = over_t.assign(t=over_t.metric.str.removeprefix("t = ").astype(float))
    place = ["data", "setting", "method", "round"]
    rounds = curves.groupby(place, sort=False).value.mean().rename("accuracy").reset_index()
    measured = Trials()
    for *cell, value in values[~values.table.str.startswith("Figure")].itertuples(index=False):
        measured.add(cell, value)
    _table_3(measured, rounds)
    tables = {
        "dc-cfl": compare(measured.summary(), published("dc_cfl")),
        "dc-cfl-rounds": rounds,
        "dc-cfl-thresholds": over_t[["setting", "t", "value"]].rename(
            columns={"value": "accuracy"}
        ),
    }
    for name, table in tables.items():
        write_csv(table, results / f"{name}.csv")
        yield results / f"{name}.csv"
    yield from write_page(results, out / "docs")


def _methods(name: str, split: str, seed: int, data: Path | None) -> Cells:
    """Measure all methods of Table 2 in one run of one column."""
    problem = draw_problem(name, split, seed, data)
    cell = ("Table 2", name, split)
    yield (*cell, "Local", "accuracy"), local_accuracy(problem, LocalNetworks())
    collaboration = Collaboration(problem, LocalNetworks())
    yield (*cell, "DC", "accuracy"), collaboration.one_model()
    for method in ("DC", "DC-CFL"):
        yield (*cell, method, "bytes up"), bytes_up(problem)
        yield (*cell, method, "bytes down"), bytes_down(problem)
    thresholds = Thresholds(collaboration)
    model, accuracy = collaboration.groups("auto")
    thresholds.tell(model.threshold_, accuracy)
    for method, t in (("DC-CFL", model.threshold_), ("DC-CFL (gap)", thresholds.gap)):
        yield (*cell, method, "accuracy"), thresholds.accuracy(t)
        yield (*cell, method, "t"), t
        yield (*cell, method, "groups"), thresholds.n_groups(t)
    if name == "covertype" and split != DIRICHLET:
        for t in CANDIDATES:
            yield ("Figure 3", name, split, "DC-CFL", f"t = {t}"), thresholds.accuracy(t)
    for method in FEDERATED:
        yield from _federated(problem, cell, method)


def _federated(problem: Problem, cell: tuple[str, str, str], method: str) -> Cells:
    """Choose the settings of a multi-round method and train it, for fifty rounds for a curve."""
    _, name, split = cell
    wanted = (name, split) == FIGURE or (method == "FedClust" and split != DIRICHLET)
    scores = sorted(validate(problem, method), key=lambda judged: -judged[1])
    ranked = [settings for settings, _ in scores]
    model, curve, n_diverged = watch(problem, method, ranked, LONG if wanted else N_ROUNDS)
    yield ("Chosen", name, split, method, json.dumps(ranked[n_diverged])), 1.0
    yield (*cell, method, "accuracy"), curve[N_ROUNDS - 1]
    yield (*cell, method, "diverged"), n_diverged
    if wanted:
        for k, accuracy in enumerate(curve):
            yield ("Figure 2", name, split, method, f"round {k + 1}"), accuracy
    sent = N_ROUNDS * model.n_exchanged * model.networks_[0].nbytes
    yield (*cell, method, "bytes up"), sent
    yield (*cell, method, "bytes down"), sent + model.n_final * model.networks_[0].nbytes


def _stronger(name: str, split: str, seed: int, data: Path | None, part: Path) -> Cells:
    """Measure Local, DC and DC-CFL with stronger learners, grouped as the network chose."""
    problem = draw_problem(name, split, seed, data)
    known = pd.read_csv(part)
    threshold = float(known[(known.method == "DC-CFL") & (known.metric == "t")].value.iloc[0])
    for learner, estimator in _learners().items():
        there, cell = Collaboration(problem, estimator), (f"Learner: {learner}", name, split)
        yield (*cell, "Local", "accuracy"), local_accuracy(problem, estimator)
        yield (*cell, "DC", "accuracy"), there.one_model()
        yield (*cell, "DC-CFL", "accuracy"), there.groups(threshold)[1]


def _table_3(measured: Trials, rounds: pd.DataFrame) -> None:
    """Add the rounds after which the mean curve of a method reaches the mean of DC-CFL."""
    for (name, split, method), curve in rounds.groupby(["data", "setting", "method"], sort=False):
        goal = measured.mean(("Table 2", str(name), str(split), "DC-CFL", "accuracy"))
        reached = curve[curve.accuracy >= goal]["round"]
        if len(reached):
            cell = ("Table 3", str(name), str(split), str(method), "rounds")
            measured.add(cell, float(reached.min()))


def _learners() -> dict[str, Any]:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("gradient boosting", "xgboost", "boost") from error
    return {
        "random forest": RandomForestClassifier(50),
        "gradient boosting": XGBClassifier(n_jobs=1),
        "logistic regression": LogisticRegression(max_iter=300),
    }
