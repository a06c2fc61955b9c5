"""Who took part, told by the nodes of a continual party: the run and its page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pandas as pd
from rich.progress import Progress

from benchmarks.attacks.nodes import measure_nodes
from benchmarks.attacks.studies import attack_studies
from benchmarks.pages import fill_table, write_page
from benchmarks.pictures import panels, save
from benchmarks.store import collect
from benchmarks.tables import Trials, markdown, with_interval, write_csv

DEFAULT_TRIALS = 5
NEEDS = ("iris", "adult")


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure and write, also the table of the threat model; by default 5 trials."""
    n_trials = trials or DEFAULT_TRIALS
    parts = {
        f"{study.name}, seed {seed}": partial(measure_nodes, study, seed)
        for study in attack_studies(data)
        for seed in range(n_trials)
    }
    results = Trials(collect("attack-nodes", parts, out, progress)).summary()
    yield write_csv(results, out, "attack-nodes")
    yield from write(results, out)


def write(results: pd.DataFrame, out: Path) -> Iterator[Path]:
    """Write picture and page, and the table inside the threat model if that exists."""
    yield _draw(results[results.metric == "advantage"], out / "docs")
    wide = results.assign(shown=with_interval(results, 2)).pivot_table(
        index=["data", "setting"], columns="metric", values="shown", sort=False, aggfunc="first"
    )
    table = markdown(wide.reset_index())
    page = out / "docs" / "bench-attack-nodes.md"
    yield write_page(__file__, page, trials=results.trials.max(), table=table)
    yield from fill_table(out / "docs" / "threat-model.md", "attack-nodes", table)


def _draw(cells: pd.DataFrame, docs: Path) -> Path:
    """Draw how much surer the attacker is than a guess, under less and less epsilon."""
    figure, drawn = panels(2, 3.0)
    for axes, window in zip(drawn, ("first window", "second window"), strict=True):
        shown = cells[cells.setting.str.startswith(window)]
        for data, line in shown.groupby("data", sort=False):
            names = line.setting.str.replace(rf"{window}, |epsilon | per row", "", regex=True)
            axes.errorbar(names, line.ours, line.ours_spread, marker="o", capsize=3, label=data)
        axes.set(title=window, xlabel="epsilon per row", ylabel="advantage", ylim=(-0.1, 1.05))
    figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return save(figure, docs, "attack-nodes")
