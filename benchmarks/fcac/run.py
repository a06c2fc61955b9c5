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
import pandas as pd
from rich.progress import Progress

from benchmarks.fcac import page
from benchmarks.fcac.compared import COMPARED, compared_trial
from benchmarks.fcac.one_cloud import learn_cloud
from benchmarks.fcac.privacy import show_noise, study_privacy
from benchmarks.fcac.problem import CLIENTS, METRICS, SETTINGS, file_of
from benchmarks.fcac.ranks import Comparison, compare_ranks, draw_diagram
from benchmarks.fcac.rounds import demonstrate
from benchmarks.fcac.trials import FCAC, IMPROVED, trial
from benchmarks.store import chosen, collect
from benchmarks.tables import CELL, Trials, compare, published, read_csv, renew, write_csv
from consilience.datasets import available, load

METHODS = (*COMPARED, FCAC)
EPSILONS = (15.0, 25.0, 50.0, 75.0)
DEFAULT_TRIALS = 20
FEWER = {"fashion-mnist": 5}
"""Trials of slow sets, unless a number of trials is asked for."""
TOO_LONG = {("fashion-mnist", "FedFCM")}
"""Sets and methods that are left out: 12 CPU seconds a round, up to a hundred rounds a trial."""
LARGE = 200_000
"""Values of a table (rows times features) above which a set is left out of the epsilon study."""
FRAMES = ("one-cloud", "noise", "rounds", "privacy")
"""What a run in part leaves as it is."""

NEEDS: tuple[str, ...] = ()
USES = tuple(CLIENTS)
"""Sets that are left out where they are not there."""


def run(
    *,
    trials: int | None,
    data: Path | None,
    out: Path,
    progress: Progress,
    only: str | None = None,
) -> Iterator[Path]:
    """Measure and write.

    By default 20 trials of Tables 3 and 4, as in the paper, but fewer of the slow sets; ranks are
    those of the sets on which all methods were measured. The epsilon study has a fifth of the
    trials, at least one. With ``only``, parts whose name begins so are measured, a set for example;
    all else stays as the results have it.
    """
    at_hand = available(data)
    missing = [name for name in CLIENTS if name not in at_hand]
    wanted = {name: trials or FEWER.get(name, DEFAULT_TRIALS) for name in CLIENTS}
    plan = {name: n for name, n in wanted.items() if name in at_hand}
    sizes = {name: load(file_of(name, data), data=data).X.size for name in plan}
    few = max(1, (trials or DEFAULT_TRIALS) // 5)
    small = [name for name in plan if sizes[name] <= LARGE]
    by_size = sorted(plan, key=lambda name: sizes[name])
    plain = (_parts(n, data, range(plan[n]), [None], (*METHODS, IMPROVED)) for n in by_size)
    with_noise = (_parts(n, data, range(few), EPSILONS, METHODS) for n in small)
    summary, noisy = (
        Trials(
            collect("fcac", chosen(dict(chain.from_iterable(parts)), only), out, progress)
        ).summary()
        for parts in (plain, with_noise)
    )
    table = compare(summary, published("fcac"))
    if only:
        table = renew(table, out, "fcac", CELL)
        noisy = renew(noisy, out, "fcac-epsilon", CELL)

    comparisons = _compare_all(table, _ranked(table))
    table = _with_ranks(table, comparisons)
    yield write_csv(table, out, "fcac")
    studied = list(dict.fromkeys(noisy.data))
    study = {f"{e:g}": _rank(noisy, studied, suffix=f", epsilon {e:g}") for e in EPSILONS}
    yield write_csv(noisy, out, "fcac-epsilon")
    images = out / "docs" / "images"
    shown = {title: comparisons[title] for title in ("all", *SETTINGS)}
    yield draw_diagram(shown, images / "fcac-ranks.png")
    by_epsilon = {f"epsilon {e} per feature": c for e, c in study.items()}
    yield draw_diagram(by_epsilon, images / "fcac-epsilon-ranks.png")
    if only:
        frames = {name: read_csv(out, f"fcac-{name}") for name in FRAMES}
    else:
        private: dict[str, Any] = {
            n: load(n, data=data) for n in ("pendigits", "phoneme") if n in plan
        }
        made = (
            learn_cloud(out / "docs", trials or DEFAULT_TRIALS),
            show_noise(images / "fcac-noise.png"),
            demonstrate(images / "fcac-rounds.png"),
            study_privacy(private),
        )
        frames = dict(zip(FRAMES, made, strict=True))
        for name, frame in frames.items():
            yield write_csv(frame, out, f"fcac-{name}")
    told = {"budget": _budget(table, noisy), "missing": ", ".join(missing) or "nothing"}
    yield from page.write(table, comparisons, study, frames, out / "docs", **told)


def _parts(name: str, data: Path | None, *axes: Any) -> Iterator[tuple[str, Any]]:
    for place in product(SETTINGS, *axes):
        if (name, place[-1]) in TOO_LONG:
            continue
        measure = compared_trial if place[-1] in COMPARED else trial
        part = ", ".join(map(str, (file_of(name, data), *place)))
        yield part, partial(measure, name, data, *place)


def _budget(table: pd.DataFrame, noisy: pd.DataFrame) -> str:
    """Say how many trials the results have, and what is left out."""
    measured = table[(table.trials > 0) & (table.data != "all")].groupby("data").trials.min()
    plan = {name: int(measured[name]) for name in CLIENTS if name in measured}
    usual = max(plan.values(), default=0)
    fewer = [f"{name} {n}" for name, n in plan.items() if n < usual]
    left_out = [f"; {method} on {name} is left out" for name, method in TOO_LONG if name in plan]
    return (
        f"{usual} trials of Tables 3 and 4 on {len(plan)} sets"
        + (f" ({', '.join(fewer)})" if fewer else "")
        + "".join(left_out)
        + f"; {noisy.trials.min():.0f} of the epsilon study on the {noisy.data.nunique()} of up to "
        f"{LARGE:,} values"
    )


def _ranked(table: pd.DataFrame) -> list[str]:
    """Return the sets on which all methods were measured."""
    scores = table[table.metric.isin(METRICS) & (table.trials > 0)]
    n_methods = scores[scores.method.isin(METHODS)].groupby("data").method.nunique()
    return [name for name in CLIENTS if n_methods.get(name, 0) == len(METHODS)]


def _rank(
    results: pd.DataFrame,
    names: Sequence[str],
    methods: Sequence[str] = METHODS,
    settings: Sequence[str] = tuple(SETTINGS),
    metrics: Sequence[str] = METRICS,
    suffix: str = "",
) -> Comparison:
    """Rank methods over sets, scenarios and metrics, as Figs. 10 and 11 do.

    Means count with the digits that the results are written with, so that a run in part ranks as
    a whole one does.
    """
    means = results.set_index(CELL).ours.map(lambda mean: float(f"{mean:.6g}"))
    scores = [
        [means[(SETTINGS[s][0], n, s + suffix, method, m)] for method in methods]
        for n, s, m in product(names, settings, metrics)
    ]
    return compare_ranks(np.array(scores), methods)


def _compare_all(table: pd.DataFrame, names: list[str]) -> dict[str, Comparison]:
    found = {"all": _rank(table, names)}
    for setting in SETTINGS:
        found[setting] = _rank(table, names, settings=[setting])
        for m in METRICS:
            found[f"{setting} {m}"] = _rank(table, names, settings=[setting], metrics=[m])
    found["improved"] = _rank(table, names, (FCAC, IMPROVED))
    return found


def _with_ranks(table: pd.DataFrame, comparisons: Mapping[str, Comparison]) -> pd.DataFrame:
    """Enter the average ranks into the last rows of both tables."""
    ranks = Trials()
    for setting, (name, _) in SETTINGS.items():
        titles = {f"average {m} rank": f"{setting} {m}" for m in METRICS}
        for metric, title in {**titles, "average rank": setting}.items():
            for method, rank in comparisons[title].ranks.items():
                ranks.add((name, "all", setting, method, metric), rank)
    reference = published("fcac")
    entered = compare(ranks.summary(), reference[reference.data == "all"])
    both = pd.concat([entered, table[table.data != "all"]])
    return both.sort_values(CELL, ignore_index=True)
