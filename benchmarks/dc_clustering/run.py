"""Tables 2, 4, 5 and 6 and Figure 3 of DC-Clustering [Kawamata2025]_."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from rich.progress import Progress

from benchmarks.dc_clustering import page
from benchmarks.dc_clustering.figure import draw_synthetic
from benchmarks.dc_clustering.trials import METRICS, SETTING, synthetic, trial
from benchmarks.store import collect
from benchmarks.tables import Trials, compare, published, write_csv
from consilience.datasets import load
from consilience.metrics import percent_difference

DATA = {
    "iris": "iris",
    "rice": "rice",
    "pendigits": "pendigits",
    "heart-statlog": "heart-statlog",
    "banknote": "banknote",
    "phoneme": "phoneme_elena",
}
"""The paper's six sets, and the name of each in ``consilience.datasets``."""
NEEDS = tuple(DATA.values())

SMALL_ROWS, SMALL_TRIALS, LARGE_TRIALS = 6_000, 100, 20


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure and write; by default 100 trials of sets of up to 6,000 rows, and 20 of larger."""
    sets = {name: load(slug, data=data) for name, slug in DATA.items()}
    usual = {n: SMALL_TRIALS if len(s.y) <= SMALL_ROWS else LARGE_TRIALS for n, s in sets.items()}
    budget = {name: trials or usual[name] for name in sets}
    parts = {
        f"{name}, {how}": partial(synthetic, name, how)
        for name, how in product(("blobs", "circles"), ("iid", "non-iid"))
    }
    for name, dataset in sets.items():
        for seed in range(budget[name]):
            parts[f"{name}, seed {seed}"] = partial(trial, name, dataset, seed)
    measured = Trials(collect("dc-clustering", parts, out, progress))
    _average_differences(measured)
    results = compare(measured.summary(), published("dc_clustering"))
    yield write_csv(results, out, "dc-clustering")
    yield draw_synthetic(out / "docs")
    yield from page.write(results, budget, out / "docs")


def _average_differences(measured: Trials) -> None:
    """Table 5: the mean over sets and metrics of the difference of means from pooled, in %."""
    rows = [
        ("Table 4", "k-means", "", ["local", "kumar", "collaboration"]),
        ("Table 6", "spectral", "", ["local", "hernandez-pereira", "collaboration"]),
        ("Table 6", "spectral", ", own solver", ["collaboration"]),
    ]
    for table, kind, solver, methods in rows:
        for method in methods:
            differences = [
                percent_difference(
                    measured.mean((table, data, SETTING, method + solver, metric)),
                    measured.mean((table, data, SETTING, "pooled" + solver, metric)),
                )
                for data in DATA
                for metric in METRICS
            ]
            cell = ("Table 5", "all", kind, method + solver, "% from pooled")
            measured.add(cell, float(np.mean(differences)))
