"""What the nodes of a continual party tell of who took part, without noise and with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from rich.progress import Progress

from consilience.bench.attack_studies import Study, attack_studies
from consilience.bench.page_tables import fill_table
from consilience.bench.tables import CELL, Trials, markdown, write_csv
from consilience.continual.party import Party
from consilience.messages import NodeUpdate
from consilience.privacy.audits import infer_membership
from consilience.privacy.noise import LaplaceNoise

__all__ = ["run"]

DEFAULT_TRIALS = 3
MAX_ROWS = 1_000
EPSILONS = (None, 1_000.0, 100.0, 10.0)

INTRODUCTION = """# Nodes of a continual party, attacked

```
consilience bench attack-nodes --data DIR
```

A party learns from half of the rows (at most 1,000) and sends the nodes of its network. Whoever
holds the nodes and a list of candidates, half of them members, calls a candidate a member if a node
lies close. *AUC* 0.5 and *advantage* 0 say nothing, 1 is certainty. *Nodes that are rows* and *rows
that are nodes* are equal bit for bit. Mean of {trials} trials; seeds 0, 1, 2, … fix the split and,
here only, the noise.

"""


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure, and write the results, the page and the table of the threat model.

    Parameters
    ----------
    trials : int or None
        Trials per cell; None means 3.
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
    """Ask of each candidate, one half members and one half not, whether it is behind a node."""
    rng = np.random.default_rng(seed)
    X = study.X[rng.permutation(len(study.X))[: 2 * MAX_ROWS]]
    half = len(X) // 2
    members, others = X[:half], X[half:]
    lower, upper = study.bounds
    upper = np.where(upper > lower, upper, lower + 1.0)
    for epsilon in EPSILONS:
        noise = None
        if epsilon is not None:
            # A fixed seed: the benchmark must be repeatable, and protects nobody.
            noise = LaplaceNoise(lower.tolist(), upper.tolist(), epsilon, insecure_seed=seed)
        (update,) = Party("victim", X.shape[1], noise=noise).begin(members)
        assert isinstance(update, NodeUpdate)
        told = infer_membership(update.nodes, members, others)
        setting = "no noise" if epsilon is None else f"epsilon {epsilon:g} per row"
        cell = ("Nodes", study.name, setting, "membership")
        measured.add((*cell, "nodes that are rows"), told.copied)
        measured.add((*cell, "rows that are nodes"), told.exposed)
        measured.add((*cell, "AUC"), told.auc)
        measured.add((*cell, "advantage"), told.advantage)


def _wide(results: pd.DataFrame) -> pd.DataFrame:
    """Put the four figures of a setting side by side."""
    index = [name for name in CELL if name in ("data", "setting")]
    frame = results.pivot_table(index=index, columns="metric", values="ours", sort=False)
    return frame.reset_index()
