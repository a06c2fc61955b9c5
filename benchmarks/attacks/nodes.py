"""What the nodes of a continual party tell of who took part, without noise and with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from rich.progress import Progress

from benchmarks.attacks.studies import Study, attack_studies
from benchmarks.pages import fill_table, write_page
from benchmarks.problems import Cells
from benchmarks.store import collect
from benchmarks.tables import Trials, markdown, with_interval, write_csv
from consilience.continual.audit import MAX_ROWS, ROUNDING, points_told
from consilience.continual.party import Party
from consilience.messages import NodeUpdate
from consilience.privacy.audits import infer_membership

DEFAULT_TRIALS = 5
MIN_LATER = 10
EPSILONS = (None, 1_000.0, 100.0, 10.0)


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


def measure_nodes(study: Study, seed: int) -> Cells:
    """Ask of each candidate, members of a window and others, whether it is behind a node."""
    rng = np.random.default_rng(seed)
    X = study.X[rng.permutation(len(study.X))[: 2 * MAX_ROWS]]
    half = len(X) // 2
    n_later = max(MIN_LATER, half // 10)
    members, later, others = np.split(X, [half, half + n_later])
    for epsilon in EPSILONS:
        noise = None if epsilon is None else study.noise(epsilon)
        party = Party("victim", X.shape[1], noise=noise)
        (first,), (second,) = party.begin(members), party.begin(later)
        assert isinstance(first, NodeUpdate)
        assert isinstance(second, NodeUpdate)
        points = points_told(first, second)
        setting = "no noise" if epsilon is None else f"epsilon {epsilon:g} per row"
        for window, told in (
            ("first window", infer_membership(first.nodes, members, others)),
            ("second window", infer_membership(points, later, others, ROUNDING)),
        ):
            cell = ("Nodes", study.name, f"{window}, {setting}", "membership")
            yield (*cell, "points that are rows"), told.copied
            yield (*cell, "rows exposed"), told.exposed
            yield (*cell, "AUC"), told.auc
            yield (*cell, "advantage"), told.advantage
