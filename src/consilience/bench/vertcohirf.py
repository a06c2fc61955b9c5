"""Tables 1 and 5 to 16 and Figures 1 and 4 of VertCoHiRF [Belucci2026]_.

Three peers, columns dealt at random with 20 % shared, five such partitions, continuous columns
standardised and categories one-hot, every method tuned with the same number of trials for each
metric on its own. The paper does not state the number of peers of its tables; three is that of its
published scripts.
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

from consilience import ConsensusClustering
from consilience.bench.byzantine import STDS, attack_scores
from consilience.bench.parts import measure_part, read_parts
from consilience.bench.tables import CELL, Trials, compare, published, write_csv
from consilience.bench.vertcohirf_methods import METHODS, NARROW
from consilience.bench.vertcohirf_page import N_PARTITIONS, write_page
from consilience.bench.vertcohirf_tuning import Metric, Problem
from consilience.datasets import load, multimodal, share_columns

__all__ = ["run"]

TRIALS = 20
"""Tuning trials per method, metric and partition of the committed run; the paper has 50."""

N_PEERS = 3
BASELINES = ["Distr.KMeans", "CoresetKMeans", "DPFMPS", "DPFMPS-2PEst"]
PEER_COUNTS = range(2, 7)
METRICS: tuple[Metric, ...] = ("ARI", "SIL")

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Cells = Iterator[tuple[tuple[str, ...], float]]


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results and the page.

    The parts, one per data set and partition, are kept under ``benchmarks/parts``: a run that was
    stopped goes on, and a second process started with the same command shares the work. The one
    that finds all parts done writes the page.

    Parameters
    ----------
    trials : int or None
        Tuning trials; None means :data:`TRIALS`, 50 is the paper's.
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
    folder = out / "benchmarks" / "parts" / f"vertcohirf-{budget}"
    parts = {folder / f"{name}.csv": measure for name, measure in _parts(reference, data, budget)}
    task = progress.add_task("VertCoHiRF", total=len(parts))
    done: list[Path] = []
    # The page first without the rows with the scripts' range, then with them.
    for stage in (False, True):
        chosen = {p: m for p, m in parts.items() if p.name.startswith("narrow") == stage}
        # What is measured here are labels; checking each array anew takes a third of the time.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for path, measure in chosen.items():
                measure_part(path, measure)
                progress.advance(task)
        done += chosen
        values = read_parts(done)
        if values is None:
            progress.console.print("Some parts are with another run, which will write the page.")
            return
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
    tables = reference[~reference.table.isin(["Table 1"])]
    seeds = range(N_PARTITIONS)
    for name in ("coil20", "shuttle", "nursery", "chowdary-2006", "garber-2001"):
        for seed in seeds:
            rows = tables[tables.data == name]
            yield f"{name}-{seed}", partial(_partition, rows, name, data, budget, seed)
    name = "alizadeh-2000-v2"
    for seed in seeds:
        for n_peers in PEER_COUNTS:
            yield f"peers-{n_peers}-{seed}", partial(_figure_4, name, data, budget, n_peers, seed)
        rows = tables[tables.data == name]
        yield f"{name}-{seed}", partial(_partition, rows, name, data, budget, seed)
        yield f"multimodal-{seed}", partial(_table_1, budget, seed)
        for std in STDS:
            yield f"byzantine-{std:g}-{seed}", partial(attack_scores, std, seed, budget)
    for seed in seeds:
        for name in dict.fromkeys(tables.data):
            rows = tables[(tables.data == name) & (tables.metric == "ARI")]
            yield f"narrow-{name}-{seed}", partial(_narrow, rows, name, data, budget, seed)


def prepare(name: str, data: Path | None) -> tuple[Array, Labels]:
    """Load a set, standardised; the categories of nursery become 19 columns of 0 and 1."""
    dataset = load(name, data=data)
    if name == "nursery":
        frame = pd.get_dummies(dataset.frame.astype("category"), drop_first=True)
        return frame.to_numpy(dtype=np.float64), dataset.y
    X = dataset.frame.to_numpy(dtype=np.float64)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dataset.y


def _partition(rows: pd.DataFrame, name: str, data: Path | None, trials: int, seed: int) -> Cells:
    """Tune every method of a set's two tables on one partition of the columns."""
    X, y = prepare(name, data)
    problem = Problem(X, y, share_columns(X.shape[1], N_PEERS, random_state=seed), seed)
    for metric in METRICS:
        alone = problem.best("k-means alone", metric, trials)
        cells = rows[rows.metric == metric]
        for table, method in zip(cells.table, cells.method, strict=True):
            value = problem.best(method, metric, trials) if method != "k-means alone" else alone
            yield (table, name, f"{N_PEERS} peers", method, metric), value
            yield (table, name, f"{N_PEERS} peers", method, f"{metric} diff"), value - alone


def _narrow(rows: pd.DataFrame, name: str, data: Path | None, trials: int, seed: int) -> Cells:
    """Tune the consensus again with the published scripts' range of the number of groups."""
    X, y = prepare(name, data)
    problem = Problem(X, y, share_columns(X.shape[1], N_PEERS, random_state=seed), seed)
    for table, method in zip(rows.table, rows.method + NARROW, strict=True):
        if method in METHODS:
            value = problem.best(method, "ARI", trials)
            yield (table, name, f"{N_PEERS} peers", method, "ARI"), value


def _table_1(trials: int, seed: int) -> Cells:
    """Section 4.1: DBSCAN at one peer, k-means at the other, against every baseline."""
    views: list[Any] = [np.arange(3), np.arange(3, 5)]
    X, y = multimodal(random_state=seed)
    problem = Problem(X, y, views, seed)
    scores = {
        method: problem.best_per_peer(method, "ARI", trials)[1]
        for method in ["k-means alone", *BASELINES]
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


def _figure_4(name: str, data: Path | None, trials: int, n_peers: int, seed: int) -> Cells:
    """Section 4.2: two to six peers; the private methods' grid stops them after four."""
    X, y = prepare(name, data)
    problem = Problem(X, y, share_columns(X.shape[1], n_peers, random_state=seed), seed)
    for method in [*BASELINES, "VertCoHiRF(k-means)", "VertCoHiRF(SC-SRGF)"]:
        if method.startswith("DPFMPS") and n_peers > 4:
            continue
        value = problem.best(method, "ARI", trials)
        yield ("Figure 4", name, f"{n_peers} peers", method, "ARI"), value
