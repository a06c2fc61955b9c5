"""One model that knows each institution's mix of classes, against local models and one for all.

    python -m benchmarks.dc_cfl.own_mix measure DATA RUNS [SET ...] > own-mix.csv
    python -m benchmarks.dc_cfl.own_mix tables own-mix.csv

The splits are those of DC-CFL [Sugawara2026]_, on its three sets among 100 institutions, and on
four sets among 30 on which nothing was chosen; how the mix is estimated was chosen on four others.
The network has RUNS runs, stronger learners a fifth of them, at least one. The columns of nursery
are categories, which its file codes by numbers: it is read as both.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.dc_cfl.methods import Collaboration, local_accuracy
from benchmarks.dc_cfl.problems import AS_DRAWN, SETS, SPLITS, Problem, draw_problem, share
from benchmarks.dc_cfl.trials import learners
from benchmarks.population import read
from benchmarks.tables import markdown, published
from consilience.baselines import LocalNetworks

CHOSEN_ON = ("mfeat-factors", "optdigits", "waveform-5000", "yeast")
HELD_OUT = ("cardiotocography", "nursery", "pendigits", "wall-robot-navigation")
AS_NUMBERS = "nursery, codes as numbers"
N_FRESH = 30
"""Institutions that share a set that is not the paper's."""
METHODS = ("Local", "DC", "DC, own mix")
COLUMNS = ["data", "split", "learner", "method", "run", "accuracy"]


def draw(name: str, split: str, seed: int, data: str) -> Problem:
    """Return one run of one column."""
    if name in SETS:
        return draw_problem(name, split, seed, Path(data))
    X, y, _ = read("nursery" if name == AS_NUMBERS else name, data)
    if name == "nursery":
        X = pd.get_dummies(pd.DataFrame(X).astype("category"), dtype=float).to_numpy(float)
    return share(X, y, split, seed, N_FRESH)


def measure(problem: Problem, learner: Any) -> Iterator[tuple[str, float]]:
    """Yield the accuracy of each method with one learner."""
    together = Collaboration(problem, learner)
    yield "Local", local_accuracy(problem, learner)
    yield "DC", together.one_model()
    yield "DC, own mix", together.one_model(prior="own")


def rows(data: str, runs: int, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield every accuracy of the sets named."""
    for name in names:
        for split in (*SPLITS, AS_DRAWN) if name in SETS else SPLITS:
            for run in range(runs):
                problem = draw(name, split, run, data)
                further = learners() if run < max(1, runs // 5) else {}
                for learner, model in {"network": LocalNetworks(), **further}.items():
                    for method, accuracy in measure(problem, model):
                        yield name, split, learner, method, run, accuracy


def tables(results: pd.DataFrame) -> str:
    """Return the means as Markdown, one table for each learner, the paper's DC-CFL beside."""
    cells = published("dc_cfl").query("method == 'DC-CFL' and metric == 'accuracy'")
    paper = dict(zip(zip(cells.data, cells.setting, strict=True), cells.published, strict=True))
    parts = []
    for learner, some in results.groupby("learner", sort=False):
        mean = some.pivot_table("accuracy", ["data", "split"], "method", sort=False)
        mean = mean[list(METHODS)]
        if learner == "network":
            places = [(d, s.removesuffix(", as drawn")) for d, s in mean.index]
            mean["DC-CFL, published"] = np.array([paper.get(place, np.nan) for place in places])
        first = (mean.idxmax(axis=1) == "DC, own mix").sum()
        runs = some.groupby(["data", "split"]).run.nunique().max()
        parts.append(
            f"**{learner}**, {runs} runs: own mix is first in {first} of {len(mean)} columns\n\n"
            + markdown(mean.reset_index())
        )
    return "\n\n".join(parts)


def main(arguments: Sequence[str]) -> None:
    """Measure, or show what was measured."""
    if arguments[0] == "tables":
        print(tables(pd.read_csv(arguments[1])))
        return
    print(",".join(COLUMNS))
    for *place, accuracy in rows(arguments[1], int(arguments[2]), arguments[3:]):
        place = [f'"{part}"' if "," in str(part) else part for part in place]
        print(*place, f"{accuracy:.5f}", sep=",", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
