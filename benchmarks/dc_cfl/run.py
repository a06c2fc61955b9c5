"""Tables 2 and 3 and Figures 2 and 3 of DC-CFL [Sugawara2026]_."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pandas as pd
from rich.progress import Progress

from benchmarks.dc_cfl import page
from benchmarks.dc_cfl.problems import SETS, SPLITS
from benchmarks.dc_cfl.trials import all_methods, stronger
from benchmarks.store import collect
from benchmarks.tables import CELL, Trials, compare, published, write_csv

DEFAULT_TRIALS = 10

NEEDS = tuple(SETS.values())


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure and write; by default 10 runs per column, as in the paper, seeds 0, 1, ...

    Stronger learners have a fifth of the runs, at least one.
    """
    trials = trials or DEFAULT_TRIALS
    few = max(1, trials // 5)
    # Run after run, so that a number of whole runs is known if this one is stopped.
    places = {f"{d}, {s}, {n}": (d, s, n) for n, d, s in product(range(trials), SETS, SPLITS)}
    parts = {part: partial(all_methods, *place, data) for part, place in places.items()}
    measured = collect("dc-cfl", parts, out, progress)
    further = {}
    for part, (name, split, seed) in places.items():
        if seed < few:
            t = dict(measured[part])["Table 2", name, split, "DC-CFL", "t"]
            further[f"{part}, learners"] = partial(stronger, name, split, seed, data, t)
    learnt = collect("dc-cfl", further, out, progress)
    values = [v for part in parts for v in (*measured[part], *learnt.get(f"{part}, learners", []))]
    frame = pd.DataFrame([(*cell, value) for cell, value in values], columns=[*CELL, "value"])
    for name, table in _tables(frame).items():
        yield write_csv(table, out, name)
    yield from page.write(out / "benchmarks" / "results", out / "docs")


def _tables(values: pd.DataFrame) -> dict[str, pd.DataFrame]:
    curves, over_t = values[values.table == "Figure 2"], values[values.table == "Figure 3"]
    curves = curves.assign(round=curves.metric.str.removeprefix("round ").astype(int))
    over_t = over_t.assign(t=over_t.metric.str.removeprefix("t = ").astype(float))
    place = ["data", "setting", "method", "round"]
    rounds = curves.groupby(place, sort=False).value.mean().rename("accuracy").reset_index()
    measured = Trials()
    for *cell, value in values[~values.table.str.startswith("Figure")].itertuples(index=False):
        measured.add(cell, value)
    _table_3(measured, rounds)
    return {
        "dc-cfl": compare(measured.summary(), published("dc_cfl")),
        "dc-cfl-rounds": rounds,
        "dc-cfl-thresholds": over_t[["setting", "t", "value"]].rename(
            columns={"value": "accuracy"}
        ),
    }


def _table_3(measured: Trials, rounds: pd.DataFrame) -> None:
    """Add the rounds after which the mean curve of a method reaches the mean of DC-CFL."""
    for (name, split, method), curve in rounds.groupby(["data", "setting", "method"], sort=False):
        goal = measured.mean(("Table 2", str(name), str(split), "DC-CFL", "accuracy"))
        reached = curve[curve.accuracy >= goal]["round"]
        if len(reached):
            cell = ("Table 3", str(name), str(split), str(method), "rounds")
            measured.add(cell, float(reached.min()))
