"""Which anchor to choose: the page that says it, with the table it is chosen from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from rich.progress import Progress

from benchmarks.pages import write_page
from benchmarks.smote_anchors.anchors import N_STARTS, trial
from benchmarks.store import collect
from benchmarks.tables import Trials, markdown, write_csv
from consilience.datasets import load

DATA = ("banknote", "heart-statlog", "rice", "phoneme_elena", "pendigits", "dry_bean")
NEEDS = DATA
METRICS = ["agreement", "same start", "ACC readable", "ACC model", "unmixed"]
METRICS += ["EMD", "AMD(raw)", "AMD(anc)"]


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure and write; by default 10 trials."""
    sets = {name: load(name, data=data) for name in DATA}
    parts = {
        f"{name}, seed {seed}": partial(trial, name, dataset.X, dataset.y, seed)
        for name, dataset in sets.items()
        for seed in range(trials or 10)
    }
    results = Trials(collect("anchors", parts, out, progress)).summary()
    yield write_csv(results, out, "anchors")
    yield write(results, out / "docs")


def write(results: pd.DataFrame, docs: Path) -> Path:
    """Write the page; every figure in it comes from the results."""
    measured = results[results.table == "anchors"]
    means, by_set = (
        cells.pivot_table(index=index, columns="metric", values="ours", sort=False)[METRICS]
        for cells, index in (
            (measured, ["method", "setting"]),
            (measured[measured.setting == "400"], ["data", "method"]),
        )
    )
    by_kind: dict[str, Any] = defaultdict(dict)
    for cell in means.reset_index().to_dict("records"):
        by_kind[cell["method"]][int(cell["setting"])] = cell
    sets = list(dict.fromkeys(measured.data))
    same = means["same start"].xs("400", level="setting")
    return write_page(
        __file__,
        docs / "choosing-an-anchor.md",
        n_sets=len(sets),
        sets=", ".join(sets),
        trials=int(measured.trials.max()),
        starts=N_STARTS,
        edge=max(same["uniform"] - same["gaussian"], same["rotated"] - same["gaussian"], 0.0),
        central=results[results.method == "centralised tree"].ours.mean(),
        means=markdown(means.rename_axis(["anchor", "rows"]).reset_index()),
        by_set=markdown(by_set.rename_axis(["data", "anchor"]).reset_index()),
        **by_kind,
    )
