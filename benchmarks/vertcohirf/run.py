"""Tables 1 and 5 to 16 and Figures 1, 4, 5 and 6 of VertCoHiRF [Belucci2026]_."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from rich.progress import Progress
from sklearn import config_context

from benchmarks.problems import Cells
from benchmarks.store import Measured, chosen, collect
from benchmarks.tables import CELL, Trials, compare, published, renew, write_csv
from benchmarks.vertcohirf import page
from benchmarks.vertcohirf.byzantine import STDS, attack_scores
from benchmarks.vertcohirf.page import N_PARTITIONS, N_SHUFFLED
from benchmarks.vertcohirf.trials import figure_4, partition, shuffled, spaces, table_1

TRIALS = 50
"""Tuning trials per method, metric and partition, as in the paper."""

PEER_COUNTS = range(2, 7)
LARGE = ("coil20", "shuttle", "nursery")
"""Measured first: the longest parts must not come last."""

NEEDS = (*LARGE, "alizadeh-2000-v2", "chowdary-2006", "garber-2001")


def run(
    *,
    trials: int | None,
    data: Path | None,
    out: Path,
    progress: Progress,
    only: str | None = None,
) -> Iterator[Path]:
    """Measure and write: first with the columns in order, then also with the columns shuffled.

    ``trials`` are those of tuning, 50 by default.
    """
    budget, reference = trials or TRIALS, published("vertcohirf")
    measured: Measured = {}
    for parts in (_in_order(reference, data, budget), _at_random(reference, data, budget)):
        named = chosen({f"{name}, {budget} trials": measure for name, measure in parts}, only)
        if only and not named:
            continue
        # What is measured here are labels; checking each array anew takes a third of the time.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            measured |= collect("vertcohirf", named, out, progress)
        succeeded = {
            k: [(c, v) for c, v in part if not np.isnan(v)] for k, part in measured.items()
        }
        results = compare(Trials(succeeded).summary(), reference)
        if only:
            results = renew(results, out, "vertcohirf", CELL)
        yield write_csv(results, out, "vertcohirf")
        yield from page.write(results, budget, out / "docs")


def _in_order(
    reference: pd.DataFrame, data: Path | None, budget: int
) -> Iterator[tuple[str, Callable[[], Cells]]]:
    for name, rows in _sets(reference):
        for seed in range(N_PARTITIONS):
            yield f"{name}, {seed}", partial(partition, rows, name, data, budget, seed)
    yield from _searched(reference, data, budget)
    for seed in range(N_PARTITIONS):
        for n_peers in PEER_COUNTS:
            yield f"{n_peers} peers, {seed}", partial(figure_4, data, budget, n_peers, seed)
        yield f"multimodal, {seed}", partial(table_1, budget, seed)
        for std in STDS:
            yield f"byzantine, {std:g}, {seed}", partial(attack_scores, std, seed, budget)


def _searched(
    reference: pd.DataFrame, data: Path | None, budget: int
) -> Iterator[tuple[str, Callable[[], Cells]]]:
    for name, rows in _sets(reference):
        for seed in range(N_PARTITIONS):
            yield f"spaces, {name}, {seed}", partial(spaces, rows, name, data, budget, seed)


def _at_random(
    reference: pd.DataFrame, data: Path | None, budget: int
) -> Iterator[tuple[str, Callable[[], Cells]]]:
    for name, rows in _sets(reference):
        for seed in range(N_SHUFFLED):
            yield f"shuffled, {name}, {seed}", partial(shuffled, rows, name, data, budget, seed)


def _sets(reference: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the sets of the tables and their cells, the longest first."""
    tables = reference[reference.table != "Table 1"]
    for name in dict.fromkeys([*LARGE, *tables.data]):
        yield name, tables[tables.data == name]
