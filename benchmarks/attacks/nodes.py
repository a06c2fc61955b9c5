"""What the nodes of a continual party tell of who took part, without noise and with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from rich.progress import Progress

from benchmarks.attacks.studies import Study, attack_studies
from benchmarks.pages import fill_table
from benchmarks.tables import Trials, interval, markdown, write_csv
from consilience.continual.party import Party
from consilience.messages import NodeUpdate
from consilience.privacy.audits import difference_nodes, infer_membership

__all__ = ["run"]

DEFAULT_TRIALS = 5
MAX_ROWS = 1_000
MIN_LATER = 10
ROUNDING = 1e-6
EPSILONS = (None, 1_000.0, 100.0, 10.0)

INTRODUCTION = """# Nodes of a continual party, attacked

```
consilience bench attack-nodes --data DIR
```

A party learns from half of the rows (at most 1,000) and sends the nodes of its network, then from a
tenth as many further rows, and sends the nodes that are new or have moved. Whoever holds the nodes
and a list of candidates, half of them members of that window, calls a candidate a member if a point
lies close: a node of the first window; of the second, a node or what a node sent twice tells of the
rows it won in between. *AUC* 0.5 and *advantage* 0 say nothing, 1 is certainty. *Points that are
rows* and *rows exposed* are equal bit for bit, in the second window to a millionth of a standard
deviation. Epsilon is per row; who has a row in both windows has spent it twice. Mean of {trials}
trials, ± the 95 % confidence interval; seeds 0, 1, 2, … fix the split. The noise comes from OpenDP
and the entropy of the operating system, as a party draws it: no seed repeats it, and rows with
*epsilon* differ in every run.

"""


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure, and write the results, the page and the table of the threat model.

    Parameters
    ----------
    trials : int or None
        Trials per cell; None means 5.
    data : Path or None
        Folder with the data sets.
    out : Path
        Root under which ``benchmarks/results`` and ``docs`` are written.
    progress : rich.progress.Progress

    Yields
    ------
    Path
        Each file written.
    """
    n_trials = trials or DEFAULT_TRIALS
    studies = attack_studies(data)
    measured = Trials()
    task = progress.add_task("nodes", total=len(studies) * n_trials)
    for study in studies:
        for seed in range(n_trials):
            measure_nodes(measured, study, seed)
            progress.advance(task)
    results = measured.summary()
    path = out / "benchmarks" / "results" / "attack-nodes.csv"
    write_csv(results, path)
    yield path
    table = markdown(_wide(results), 2)
    page = out / "docs" / "bench-attack-nodes.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{INTRODUCTION.format(trials=n_trials)}{table}\n", encoding="utf-8")
    yield page
    yield from fill_table(out / "docs" / "threat-model.md", "attack-nodes", table)


def measure_nodes(measured: Trials, study: Study, seed: int) -> None:
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
        between = difference_nodes(
            first.ids, first.nodes, first.counts, second.ids, second.nodes, second.counts
        )
        points = np.vstack([second.nodes, between])
        setting = "no noise" if epsilon is None else f"epsilon {epsilon:g} per row"
        for window, told in (
            ("first window", infer_membership(first.nodes, members, others)),
            ("second window", infer_membership(points, later, others, ROUNDING)),
        ):
            cell = ("Nodes", study.name, f"{window}, {setting}", "membership")
            measured.add((*cell, "points that are rows"), told.copied)
            measured.add((*cell, "rows exposed"), told.exposed)
            measured.add((*cell, "AUC"), told.auc)
            measured.add((*cell, "advantage"), told.advantage)


def _wide(results: pd.DataFrame) -> pd.DataFrame:
    """Put the four figures of a setting side by side."""
    shown = [
        f"{mean:.2f}" if np.isnan(half) else f"{mean:.2f} ± {half:.2f}"
        for mean, half in zip(results.ours, interval(results), strict=True)
    ]
    frame = results.assign(shown=shown).pivot_table(
        index=["data", "setting"], columns="metric", values="shown", sort=False, aggfunc="first"
    )
    return frame.reset_index()
