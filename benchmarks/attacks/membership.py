"""Who took part, told by the nodes of a continual party: the run and its page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rich.progress import Progress

from benchmarks.attacks.nodes import measure_nodes
from benchmarks.attacks.studies import attack_studies
from benchmarks.pages import fill_table, write_page
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
    wide = results.assign(shown=with_interval(results, 2)).pivot_table(
        index=["data", "setting"], columns="metric", values="shown", sort=False, aggfunc="first"
    )
    table = markdown(wide.reset_index())
    page = out / "docs" / "bench-attack-nodes.md"
    yield write_page(__file__, page, trials=n_trials, table=table)
    yield from fill_table(out / "docs" / "threat-model.md", "attack-nodes", table)
