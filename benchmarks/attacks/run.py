"""The attacks on data collaboration, measured, and what each defence buys.

The reference figures are those measured before this package was written, by other code.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import Progress

from benchmarks.attacks import page
from benchmarks.attacks.defaults import DEFAULT_SETS, SHIPPED, SLUGS, measure_defaults
from benchmarks.attacks.defences import measure_defences
from benchmarks.attacks.messages import measure_messages
from benchmarks.attacks.studies import attack_studies
from benchmarks.attacks.trials import alone, anchor_rows, collusion, known_rows, linkage
from benchmarks.store import collect
from benchmarks.tables import Trials, compare, published, write_csv

SMALL_ROWS, SMALL_TRIALS, LARGE_TRIALS, DEFAULTS_TRIALS = 1_000, 20, 3, 20
MEASURES = (
    collusion,
    anchor_rows,
    alone,
    known_rows,
    linkage,
    measure_messages,
    measure_defences,
)

NEEDS = ("adult", *(SLUGS.get(name, name) for name in DEFAULT_SETS if name not in SHIPPED))


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure and write.

    By default 20 trials of sets of up to 1,000 rows and of the defaults, and 3 of larger sets.
    """
    studies = attack_studies(data)
    budget, parts = {}, dict[str, Any]()
    for study in studies:
        usual = SMALL_TRIALS if len(study.X) <= SMALL_ROWS else LARGE_TRIALS
        budget[study.name] = trials or usual
        for seed in range(budget[study.name]):
            for measure in MEASURES:
                part = f"{study.name}, seed {seed}, {measure.__name__}"
                parts[part] = partial(measure, study, seed)
    budget["defaults"] = trials or DEFAULTS_TRIALS
    for seed in range(budget["defaults"]):
        for name in DEFAULT_SETS:
            parts[f"defaults, {name}, seed {seed}"] = partial(measure_defaults, name, data, seed)
    measured = Trials(collect("attacks", parts, out, progress))
    results = compare(measured.summary(), published("attacks"))
    yield write_csv(results, out, "attacks")
    yield from page.write(results, studies, budget, out)
