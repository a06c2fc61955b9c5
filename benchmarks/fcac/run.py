"""Tables 3 and 4 of FCAC [Masuyama2024]_, its epsilon study, ranks and three-round demonstration.

Settings as the published tables need them: no scaling, rows permuted by the trial's seed and dealt
by `benchmarks.fcac.splits`, compared methods told the number of classes, FCAC told nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from benchmarks.fcac import page
from benchmarks.fcac.compared import COMPARED, compared_trial
from benchmarks.fcac.one_cloud import learn_cloud
from benchmarks.fcac.privacy import show_noise, study_privacy
from benchmarks.fcac.problem import CLIENTS, METRICS, SETTINGS, file_of
from benchmarks.fcac.ranks import Comparison, compare_ranks, draw_diagram
from benchmarks.fcac.rounds import demonstrate
from benchmarks.fcac.trials import FCAC, IMPROVED, trial
from benchmarks.store import collect
from benchmarks.tables import Trials, compare, published, write_csv
from consilience.datasets import available, load

METHODS = (*COMPARED, FCAC)
EPSILONS = (15.0, 25.0, 50.0, 75.0)
DEFAULT_TRIALS = 20
FEWER = {"bioresponse": 5, "fashion-mnist": 1}
"""Trials of the slow sets, unless a number of trials is asked for: they have most features."""
TOO_LONG = {("fashion-mnist", "FedFCM")}
"""Sets and methods that are left out: 27 CPU seconds a round, up to a hundred rounds a trial."""
LARGE = 200_000
"""Values of a table (rows times features) above which a set is left out of the epsilon study."""

NEEDS: tuple[str, ...] = ()
USES = tuple(CLIENTS)
"""Sets that are left out where they are not there."""


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure and write.

    By default 20 trials of Tables 3 and 4, as in the paper, but one of Fashion-MNIST, without
    FedFCM; ranks are those of the other sets. The epsilon study has a fifth of the trials, at least
    one.
    """
    at_hand = available(data)
    missing = [name for name in CLIENTS if name not in at_hand]
    wanted = {name: trials or FEWER.get(name, DEFAULT_TRIALS) for name in CLIENTS}
    plan = {name: n for name, n in wanted.items() if name in at_hand}
    sizes = {name: load(file_of(name, data), data=data).X.size for name in plan}
    few = max(1, (trials or DEFAULT_TRIALS) // 5)
    small = [name for name in plan if sizes[name] <= LARGE]
    budget = _budget(plan, few, len(small))
    progress.console.print(f"budget: {budget}; not in the folder: {', '.join(missing) or 'none'}")
    by_size = sorted(plan, key=lambda name: sizes[name])
    plain = (_parts(n, data, range(plan[n]), [None], (*METHODS, IMPROVED)) for n in by_size)
    with_noise = (_parts(n, data, range(few), EPSILONS, METHODS) for n in small)
    measured, noisy = (
        Trials(collect("fcac", dict(chain.from_iterable(chosen)), out, progress))
        for chosen in (plain, with_noise)
    )

    comparisons = _compare_all(measured, [n for n in plan if n not in dict(TOO_LONG)])
    _add_ranks(measured, comparisons)
    table = compare(measured.summary(), published("fcac"))
    yield write_csv(table, out, "fcac")
    study = {f"{e:g}": _rank(noisy, small, suffix=f", epsilon {e:g}") for e in EPSILONS}
    yield write_csv(noisy.summary(), out, "fcac-epsilon")
    images = out / "docs" / "images"
    shown = {title: comparisons[title] for title in ("all", *SETTINGS)}
    yield draw_diagram(shown, images / "fcac-ranks.png")
    by_epsilon = {f"epsilon {e} per feature": c for e, c in study.items()}
    yield draw_diagram(by_epsilon, images / "fcac-epsilon-ranks.png")
    private: dict[str, Any] = {n: load(n, data=data) for n in ("pendigits", "phoneme") if n in plan}
    frames = {
        "one-cloud": learn_cloud(out / "docs", trials or DEFAULT_TRIALS),
        "noise": show_noise(images / "fcac-noise.png"),
        "rounds": demonstrate(images / "fcac-rounds.png"),
        "privacy": study_privacy(private),
    }
    for name, frame in frames.items():
        yield write_csv(frame, out, f"fcac-{name}")
    told = {"budget": budget, "missing": ", ".join(missing) or "nothing"}
    yield from page.write(table, comparisons, study, frames, out / "docs", **told)


def _parts(name: str, data: Path | None, *axes: Any) -> Iterator[tuple[str, Any]]:
    for place in product(SETTINGS, *axes):
        if (name, place[-1]) in TOO_LONG:
            continue
        measure = compared_trial if place[-1] in COMPARED else trial
        part = ", ".join(map(str, (file_of(name, data), *place)))
        yield part, partial(measure, name, data, *place)


def _budget(plan: Mapping[str, int], few: int, n_small: int) -> str:
    usual = max(plan.values(), default=0)
    fewer = [f"{name} {n}" for name, n in plan.items() if n < usual]
    left_out = [f"; {method} on {name} is left out" for name, method in TOO_LONG if name in plan]
    return (
        f"{usual} trials of Tables 3 and 4 on {len(plan)} sets"
        + (f" ({', '.join(fewer)})" if fewer else "")
        + "".join(left_out)
        + f"; {few} of the epsilon study on the {n_small} of up to {LARGE:,} values"
    )


def _rank(
    measured: Trials,
    names: Sequence[str],
    methods: Sequence[str] = METHODS,
    settings: Sequence[str] = tuple(SETTINGS),
    metrics: Sequence[str] = METRICS,
    suffix: str = "",
) -> Comparison:
    """Rank methods over sets, scenarios and metrics, as Figs. 10 and 11 do."""
    scores = [
        [measured.mean((SETTINGS[s][0], n, s + suffix, method, m)) for method in methods]
        for n, s, m in product(names, settings, metrics)
    ]
    return compare_ranks(np.array(scores), methods)


def _compare_all(measured: Trials, names: list[str]) -> dict[str, Comparison]:
    found = {"all": _rank(measured, names)}
    for setting in SETTINGS:
        found[setting] = _rank(measured, names, settings=[setting])
        for m in METRICS:
            found[f"{setting} {m}"] = _rank(measured, names, settings=[setting], metrics=[m])
    found["improved"] = _rank(measured, names, (FCAC, IMPROVED))
    return found


def _add_ranks(measured: Trials, comparisons: dict[str, Comparison]) -> None:
    """Enter the average ranks into the last rows of both tables."""
    for setting, (table, _) in SETTINGS.items():
        titles = {f"average {m} rank": f"{setting} {m}" for m in METRICS}
        for metric, title in {**titles, "average rank": setting}.items():
            for method, rank in comparisons[title].ranks.items():
                measured.add((table, "all", setting, method, metric), rank)
