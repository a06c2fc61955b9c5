"""Agreement and collusion at several default numbers of dimensions, 5 x 2 institutions.

    python -m benchmarks.attacks.dimensions DATA TRIALS [SET ...]

The same path as the *Defaults* of ``consilience bench attacks``; writes CSV to stdout. The share is
of paper mode's mean agreement, in the same units.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.attacks.defaults import DEFAULT_SETS, attack_party, default_table
from benchmarks.tables import Trials
from consilience import CollaborationClustering
from consilience.collaboration.scene import Terms
from consilience.datasets import split_columns, split_rows
from consilience.metrics import agreement

SHARES = {"paper mode": None, "1/2": 1 / 2, "0.6": 0.6, "2/3": 2 / 3, "3/4": 3 / 4}


def measure(
    X: Any, k: int, share: float | None, parties: Any, columns: list[Any], pooled: Any, seed: int
) -> tuple[float, float, float]:
    """Return agreement with pooled, and median R2 and top-1 of the best collusion."""
    paper = share is None
    terms = Terms(anchor="uniform", n_anchor=len(X)) if paper else Terms(rotate=True)
    most = [max(1, len(c) - 1) for c in columns]
    counts = most
    if share is not None:
        counts = [
            min(m, math.ceil(share * len(c) - 1e-9)) for m, c in zip(most, columns, strict=True)
        ]
    model = CollaborationClustering(
        k, columns=columns, n_components=counts, anchor=terms.anchor, n_anchor=terms.n_anchor,
        rotate=terms.rotate, random_state=seed,
    )  # fmt: skip
    labels = model.fit(X, parties=parties).labels_
    measured = Trials()
    terms = replace(terms, n_components=counts[0])
    attack_party(measured, ("", "", "", ""), X[:, columns[0]], parties, terms, seed)
    found = measured.summary().set_index("metric")["ours"]
    return agreement(labels, pooled), found["median R2"], found["top-1"]


def main(data: str, trials: str, *sets: str) -> None:
    """Measure and print."""
    print("data,units,dimensions,trials,ARI with pooled,share of paper mode,median R2,top-1")
    for name in sets or DEFAULT_SETS:
        table, k = default_table(name, Path(data))
        width = np.ptp(table, axis=0)
        scaled = (table - table.min(axis=0)) / np.where(width > 0, width, 1.0)
        for units, X in (("table", table), ("bounds", scaled)):
            runs: dict[str, list[Any]] = {label: [] for label in SHARES}
            for seed in range(int(trials)):
                parties = split_rows(len(X), 5, random_state=seed)
                columns = split_columns(X.shape[1], 2, random_state=seed)
                pooled = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
                for label, share in SHARES.items():
                    runs[label].append(measure(X, k, share, parties, columns, pooled, seed))
            whole = np.mean(runs["paper mode"], axis=0)[0]
            for label, values in runs.items():
                ari, r2, top1 = np.mean(values, axis=0)
                figures = f"{ari:.3f},{ari / whole:.3f},{r2:.3f},{top1:.3f}"
                print(f"{name},{units},{label},{trials},{figures}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
