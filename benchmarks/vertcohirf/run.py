"""Tables 1 and 5 to 16 and Figures 1 and 4 of VertCoHiRF [Belucci2026]_.

Three peers, columns dealt in order with 20 % shared, five such partitions, continuous columns
standardised and categories one-hot, every method tuned with the same number of trials for each
metric on its own. The paper does not state the number of peers of its tables; three is that of its
published scripts. The text has the columns dealt at random: that is measured, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rich.progress import Progress
from sklearn import config_context
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.parts import measure_part, parts_folder, read_parts
from benchmarks.tables import CELL, Trials, compare, published, write_csv
from benchmarks.vertcohirf.byzantine import STDS, attack_scores
from benchmarks.vertcohirf.methods import ALONE, CAI, MISREAD
from benchmarks.vertcohirf.page import (
    DEALT,
    N_PARTITIONS,
    N_PEERS,
    N_SHUFFLED,
    SHUFFLED,
    write_page,
)
from benchmarks.vertcohirf.problems import Metric, Problem
from consilience import ConsensusClustering
from consilience.datasets import load, multimodal, share_columns

__all__ = ["run"]

TRIALS = 50
"""Tuning trials per method, metric and partition, as in the paper."""

BASELINES = ["Distr.KMeans", "CoresetKMeans", "DPFMPS", "DPFMPS-2PEst"]
PEER_COUNTS = range(2, 7)
LARGE = ("coil20", "shuttle", "nursery")
"""Measured first: the longest parts must not come last."""

LAST = "shuffled"
"""How the names of the parts begin that come after the tables."""

METRICS: tuple[Metric, ...] = ("ARI", "SIL")

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Cells = Iterator[tuple[tuple[str, ...], float]]


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results and the page.

    The parts, one per data set and partition, are kept under ``benchmarks/parts`` in a folder
    named after the code: a run that was stopped goes on, and a second process started with the
    same command shares the work. The one that finds all parts done writes the page.

    Parameters
    ----------
    trials : int or None
        Tuning trials; None means :data:`TRIALS`.
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
    budget = trials or TRIALS
    reference = published("vertcohirf")
    folder = parts_folder(out, f"vertcohirf-{budget}")
    parts = {folder / f"{name}.csv": measure for name, measure in _parts(reference, data, budget)}
    task = progress.add_task("VertCoHiRF", total=len(parts))
    done: list[Path] = []
    # The page first with the columns in order, then also with the columns shuffled.
    for last in (False, True):
        chosen = {path: m for path, m in parts.items() if path.name.startswith(LAST) == last}
        # What is measured here are labels; checking each array anew takes a third of the time.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for path, measure in chosen.items():
                measure_part(path, measure)
                progress.advance(task)
        done += chosen
        values = read_parts(done)
        if values is None:
            progress.console.print("Some parts are with another run, which will write the page.")
            continue
        yield from _write(values, reference, budget, out)


def _write(values: pd.DataFrame, reference: pd.DataFrame, budget: int, out: Path) -> Iterator[Path]:
    measured = Trials()
    for *cell, value in values.dropna(subset="value")[[*CELL, "value"]].itertuples(index=False):
        measured.add(cell, value)
    results = compare(measured.summary(), reference)
    path = out / "benchmarks" / "results" / "vertcohirf.csv"
    write_csv(results, path)
    yield path
    yield from write_page(results, budget, out / "docs")


def _parts(
    reference: pd.DataFrame, data: Path | None, budget: int
) -> Iterator[tuple[str, Callable[[], Cells]]]:
    """Name what can be measured on its own, the longest first."""
    tables = reference[reference.table != "Table 1"]
    small = [name for name in dict.fromkeys(tables.data) if name not in LARGE]
    for name in (*LARGE, *small):
        rows = tables[tables.data == name]
        for seed in range(N_PARTITIONS):
            yield f"{name}-{seed}", partial(_partition, rows, name, data, budget, seed)
        for seed in range(N_SHUFFLED):
            yield f"{LAST}-{name}-{seed}", partial(_shuffled, rows, name, data, budget, seed)
    for seed in range(N_PARTITIONS):
        for n_peers in PEER_COUNTS:
            yield f"peers-{n_peers}-{seed}", partial(_figure_4, data, budget, n_peers, seed)
        yield f"multimodal-{seed}", partial(_table_1, budget, seed)
        for std in STDS:
            yield f"byzantine-{std:g}-{seed}", partial(attack_scores, std, seed, budget)


def prepare(name: str, data: Path | None) -> tuple[Array, Labels]:
    """Load a set, standardised; the categories of nursery become 19 columns of 0 and 1."""
    dataset = load(name, data=data)
    if name == "nursery":
        frame = pd.get_dummies(dataset.frame.astype("category"), drop_first=True)
        return frame.to_numpy(dtype=np.float64), dataset.y
    X = dataset.frame.to_numpy(dtype=np.float64)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dataset.y


def _problem(name: str, data: Path | None, n_peers: int, seed: int, shuffle: bool) -> Problem:
    X, y = prepare(name, data)
    views = share_columns(X.shape[1], n_peers, shuffle=shuffle, random_state=seed)
    return Problem(X, y, views, seed)


def _partition(rows: pd.DataFrame, name: str, data: Path | None, trials: int, seed: int) -> Cells:
    """Tune every method of a set's two tables on one partition of the columns."""
    problem = _problem(name, data, N_PEERS, seed, shuffle=False)
    for metric in METRICS:
        alone = problem.best(ALONE, metric, trials)
        cells = rows[rows.metric == metric]
        for table, method in _with_variants(cells):
            value = problem.best(method, metric, trials) if method != ALONE else alone
            yield (table, name, DEALT, method, metric), value
            yield (table, name, DEALT, method, f"{metric} diff"), value - alone
    table = rows.table[rows.metric == "ARI"].iloc[0]
    yield (table, name, DEALT, MISREAD, "ARI"), problem.best(MISREAD, "ARI", trials)


def _shuffled(rows: pd.DataFrame, name: str, data: Path | None, trials: int, seed: int) -> Cells:
    """Tune every method for the adjusted Rand index with the columns dealt at random."""
    problem = _problem(name, data, N_PEERS, seed, shuffle=True)
    for table, method in _with_variants(rows[rows.metric == "ARI"]):
        yield (table, name, SHUFFLED, method, "ARI"), problem.best(method, "ARI", trials)


def _with_variants(cells: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the table and method of each cell, and of those the paper has under one name."""
    for table, method in zip(cells.table, cells.method, strict=True):
        yield table, method
        if method == "VertCoHiRF(SC-SRGF)":
            yield table, CAI


def _table_1(trials: int, seed: int) -> Cells:
    """Section 4.1: DBSCAN at one peer, k-means at the other, against every baseline."""
    views: list[Any] = [np.arange(3), np.arange(3, 5)]
    X, y = multimodal(random_state=seed)
    problem = Problem(X, y, views, seed)
    scores = {
        method: problem.best_per_peer(method, "ARI", trials)[1] for method in [ALONE, *BASELINES]
    }
    bases = [DBSCAN(eps=2.0, min_samples=5), KMeans(3)]
    model = ConsensusClustering(bases, columns=views, random_state=seed).fit(X)
    scores["VertCoHiRF(DBSCAN, k-means)"] = [adjusted_rand_score(y, model.labels_)] * 2
    for method, each in scores.items():
        for metric, value in (
            ("ARI peer 0", each[0]),
            ("ARI peer 1", each[1]),
            ("ARI mean", float(np.mean(each))),
        ):
            yield ("Table 1", "multimodal", "2 peers", method, metric), float(value)


def _figure_4(data: Path | None, trials: int, n_peers: int, seed: int) -> Cells:
    """Section 4.2: two to six peers; the private methods' grid stops them after four."""
    name = "alizadeh-2000-v2"
    problem = _problem(name, data, n_peers, seed, shuffle=False)
    for method in [*BASELINES, "VertCoHiRF(k-means)", "VertCoHiRF(SC-SRGF)"]:
        if method.startswith("DPFMPS") and n_peers > 4:
            continue
        value = problem.best(method, "ARI", trials)
        yield ("Figure 4", name, f"{n_peers} peers", method, "ARI"), value
