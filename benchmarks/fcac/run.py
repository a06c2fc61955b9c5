"""Tables 3 and 4 of FCAC [Masuyama2024]_, its epsilon study, ranks and three-round demonstration.

Settings as the published tables need them: no scaling, rows permuted by the trial's seed and dealt
by `fcac_splits`, compared methods told the number of classes, FCAC told nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from benchmarks.fcac.noise import show_noise
from benchmarks.fcac.page import write_page
from benchmarks.fcac.privacy import study_privacy
from benchmarks.fcac.ranks import Comparison, compare_ranks, draw_diagram
from benchmarks.fcac.rounds import demonstrate
from benchmarks.fcac.trials import CLIENTS, IMPROVED, METHODS, METRICS, SETTINGS, Trial
from benchmarks.journal import Journal
from benchmarks.tables import Trials, compare, published, write_csv
from consilience.datasets import available, load

__all__ = ["run"]

EPSILONS = (15.0, 25.0, 50.0, 75.0)
DEFAULT_TRIALS = 20
FEWER = {"bioresponse": 2, "fashion-mnist": 0}
"""Trials of the two slow sets, unless a number of trials is asked for: on the 70,000 rows and 784
features of Fashion-MNIST one trial of FCAC alone takes half a minute, and FedFCM far more."""
LARGE = 200_000
"""Values of a table (rows times features) above which a set is left out of the epsilon study."""


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results, the pictures and the page.

    A run that was stopped goes on where it was when the same code is called again with the same
    folder `out`.

    Parameters
    ----------
    trials : int or None
        Trials per cell of Tables 3 and 4; None means 20, as in the paper, but two of bioresponse
        and none of Fashion-MNIST. The epsilon study has a fifth of them, at least one.
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
    at_hand = available(data)
    missing = [name for name in CLIENTS if name not in at_hand]
    wanted = {name: trials or FEWER.get(name, DEFAULT_TRIALS) for name in CLIENTS}
    plan = {name: n for name, n in wanted.items() if n and name in at_hand}
    names = list(plan)
    few = max(1, (trials or DEFAULT_TRIALS) // 5)
    small = [name for name in names if load(name, data=data).X.size <= LARGE]
    budget = _budget(plan, few, len(small), [n for n in wanted if n in at_hand and not wanted[n]])
    progress.console.print(f"budget: {budget}; not in the folder: {', '.join(missing) or 'none'}")
    steps = sum(plan.values()) + len(small) * few * len(EPSILONS)
    task = progress.add_task("FCAC", total=2 * steps + 3)
    results, pictures = out / "benchmarks" / "results", out / "docs" / "images"
    journal = Journal(results / ".fcac.journal")

    measured, noisy = Trials(), Trials()
    for name in sorted(names, key=lambda name: load(name, data=data).X.size):
        dataset = load(name, data=data)
        for setting, seed in product(SETTINGS, range(plan[name])):
            _score(measured, journal, Trial(dataset, setting, seed), (*METHODS, IMPROVED))
            progress.advance(task)
    for name in small:
        dataset = load(name, data=data)
        for setting, seed, epsilon in product(SETTINGS, range(few), EPSILONS):
            _score(noisy, journal, Trial(dataset, setting, seed, epsilon), METHODS)
            progress.advance(task)

    comparisons = _compare_all(measured, names)
    _add_ranks(measured, comparisons)
    table = compare(measured.summary(), published("fcac"))
    yield _write(table, results / "fcac.csv")
    study = {f"{e:g}": _compare(noisy, small, METHODS, f", epsilon {e:g}") for e in EPSILONS}
    yield _write(noisy.summary(), results / "fcac-epsilon.csv")
    yield draw_diagram(
        {title: c for title, c in comparisons.items() if title in ("all", *SETTINGS)},
        pictures / "fcac-ranks.png",
    )
    yield draw_diagram(
        {f"epsilon {e} per feature": c for e, c in study.items()},
        pictures / "fcac-epsilon-ranks.png",
    )
    noise = show_noise(pictures / "fcac-noise.png")
    progress.advance(task)
    yield _write(noise, results / "fcac-noise.csv")
    rounds = demonstrate(pictures / "fcac-rounds.png")
    progress.advance(task)
    yield _write(rounds, results / "fcac-rounds.csv")
    privacy = study_privacy({n: load(n, data=data) for n in ("pendigits", "phoneme") if n in names})
    progress.advance(task)
    yield _write(privacy, results / "fcac-privacy.csv")
    page = out / "docs" / "bench-fcac.md"
    yield write_page(table, comparisons, study, noise, rounds, privacy, budget, missing, page)
    journal.finish()


def _budget(plan: Mapping[str, int], few: int, n_small: int, left_out: list[str]) -> str:
    usual = max(plan.values(), default=0)
    fewer = [f"{name} {n}" for name, n in plan.items() if n < usual]
    return (
        f"{usual} trials of Tables 3 and 4 on {len(plan)} sets"
        + (f" ({', '.join(fewer)})" if fewer else "")
        + f", {few} of the epsilon study on the {n_small} of up to {LARGE:,} values"
        + "".join(f"; {name} is at hand but measured only with --trials" for name in left_out)
    )


def _score(measured: Trials, journal: Journal, trial: Trial, methods: tuple[str, ...]) -> None:
    setting, name = trial.setting, trial.dataset.name
    column = setting if trial.epsilon is None else f"{setting}, epsilon {trial.epsilon:g}"
    for method in methods:
        scores = journal.measure(f"{trial.key}, {method}", partial(trial.score, method))
        for metric, value in scores.items():
            measured.add((SETTINGS[setting][0], name, column, method, metric), value)


def _compare(
    measured: Trials, names: list[str], methods: tuple[str, ...], suffix: str = ""
) -> Comparison:
    """Rank methods over all sets, scenarios and metrics, as Figs. 10a and 11 do."""
    blocks = [(n, s, m) for n in names for s in SETTINGS for m in METRICS]
    return _rank(measured, blocks, methods, suffix)


def _rank(
    measured: Trials,
    blocks: list[tuple[str, str, str]],
    methods: tuple[str, ...],
    suffix: str = "",
) -> Comparison:
    scores = [
        [measured.mean((SETTINGS[s][0], n, s + suffix, method, m)) for method in methods]
        for n, s, m in blocks
    ]
    return compare_ranks(np.array(scores), methods)


def _compare_all(measured: Trials, names: list[str]) -> dict[str, Comparison]:
    found = {"all": _compare(measured, names, METHODS)}
    for setting in SETTINGS:
        blocks = [(n, setting, m) for n in names for m in METRICS]
        found[setting] = _rank(measured, blocks, METHODS)
        for metric in METRICS:
            one = [(n, setting, metric) for n in names]
            found[f"{setting} {metric}"] = _rank(measured, one, METHODS)
        found[f"{setting} improved"] = _rank(measured, blocks, ("FCAC", IMPROVED))
    found["improved"] = _compare(measured, names, ("FCAC", IMPROVED))
    found["with improved"] = _compare(measured, names, (*METHODS, IMPROVED))
    return found


def _add_ranks(measured: Trials, comparisons: dict[str, Comparison]) -> None:
    """Enter the average ranks into the last rows of both tables."""
    for setting, (table, _) in SETTINGS.items():
        titles = {f"average {m} rank": f"{setting} {m}" for m in METRICS}
        for metric, title in {**titles, "average rank": setting}.items():
            for method, rank in comparisons[title].ranks.items():
                measured.add((table, "all", setting, method, metric), rank)


def _write(frame: Any, path: Path) -> Path:
    write_csv(frame, path)
    return path
