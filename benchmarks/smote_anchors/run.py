"""The tables of the SMOTE anchors [Imakura2023]_: published, ours, gap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from rich.progress import Progress
from sklearn.linear_model import Ridge

from benchmarks.smote_anchors.page import write_page
from benchmarks.smote_anchors.problems import (
    CREDIT_FILE,
    Problem,
    adult,
    adult_table,
    artificial,
    credit,
    small,
)
from benchmarks.smote_anchors.trials import AFFINE, Setting, accuracy, collaborate, measure
from benchmarks.tables import Trials, compare, published, write_csv
from consilience.collaboration.anchors import LowRank, Smote
from consilience.collaboration.learning.surrogate import readable_tree
from consilience.datasets import available, load
from consilience.exceptions import MissingExtraError

__all__ = ["PARTS", "run"]

Track = Callable[[Sequence[Any]], Iterable[Any]]
"""Goes through a sequence and shows how far it is."""

SMALL = {
    "leukemia": ("Table 6", "allaml"),
    "pixraw10P": ("Table 7", "pixraw10p"),
    "Prostate_GE": ("Table 7", "prostate_ge"),
    "TOX-171": ("Table 7", "tox_171"),
    "warpAR10P": ("Table 7", "warpar10p"),
}
"""The paper's small sets that are at hand, with their table and their name here."""

SCENARIOS = {"Table 4": "artificial", "Table 5": "feature type"}
FRESH_SEEDS = 10
"""First seed of the trials that confirm Tables 4 and 5."""

NOISES = (0.01, 0.2, 0.8)
"""Other noise of the low-rank anchor in Table 1, in standard deviations: the paper gives none."""

FIGURE_K = (1, 5, 10, 25, 50, 75, 90, 99)
FIGURE_ALPHA = (0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)


def run(
    *,
    trials: int | None,
    data: Path | None,
    out: Path,
    progress: Progress,
    part: str | None = None,
) -> Iterator[Path]:
    """Measure every cell and write the results, the figure's data and the page.

    Parameters
    ----------
    trials : int or None
        Trials per cell of Tables 1 to 5 and of the figure; None means 20 for Table 1 and 10 for
        Tables 2 to 5, as in the paper, and 1 for the figure. Tables 6 and 7 have five folds.
    data : Path or None
        Folder with the data sets; Tables 2 and 3 need CreditRating_Historical.dat there.
    out : Path
        Root under which ``benchmarks/results`` and ``docs`` are written.
    progress : rich.progress.Progress
    part : str or None
        Measure only this one of ``PARTS``; the page is made from all results there are.

    Yields
    ------
    Path
        Each file written.
    """
    results = out / "benchmarks" / "results"
    for name in PARTS if part is None else [part]:
        track = partial(progress.track, description=f"SMOTE anchors, {name}")
        path = results / f"smote-anchors-{name}.csv"
        write_csv(PARTS[name](trials, data, track), path)
        yield path
    yield from write_page(results, out / "docs")


def _table_1(trials: int | None, data: Path | None, track: Track = iter) -> pd.DataFrame:
    measured = Trials()
    setting = Setting(
        "Table 1", "artificial", "2 x 2, odd and even", Ridge(), readable_tree(), 3, 5, 1000, True
    )
    for seed in track(range(trials or 20)):
        problem = artificial(seed)
        anchors = _anchors(problem, 25, {"": 3})
        noisy = {f"DC(TSVD), noise {noise}": LowRank(3, noise) for noise in NOISES}
        measure(measured, setting, problem, {**anchors, **noisy})
    return _finish(measured, ["Table 1"])


def _tables_2_and_3(trials: int | None, data: Path | None, track: Track = iter) -> pd.DataFrame:
    if data is None or not (data / CREDIT_FILE).is_file():
        return _finish(Trials(), ["Table 2", "Table 3"])
    measured = Trials()
    setting = Setting("Table 2", "credit", "2 x 2, by kind", _xgb(), _xgb(), 2, None, 2500, True)
    for seed in track(range(trials or 10)):
        problem = credit(data, seed)
        ranks = {f" rank={k}": k for k in (1, 2, 3)}
        measure(measured, setting, problem, _anchors(problem, 99, ranks))
    frame = measured.summary()
    confidentiality = frame.metric.isin(["EMD", "AMD(raw)", "AMD(anc)"])
    frame.loc[confidentiality, "table"] = "Table 3"
    return compare(frame, _published(["Table 2", "Table 3"]))


def _tables_4_and_5(trials: int | None, data: Path | None, track: Track = iter) -> pd.DataFrame:
    def anchors(problem: Problem) -> dict[str, Any]:
        return _anchors(problem, 99, {" rank=2": 2, " rank=m-1": None})

    measured = _adult(range(trials or 10), data, track, anchors)
    return _finish(measured, list(SCENARIOS))


def _fresh_seeds(trials: int | None, data: Path | None, track: Track = iter) -> pd.DataFrame:
    """Tables 4 and 5 for DC(SMOTE) alone, on seeds that nothing was chosen by."""
    seeds = range(FRESH_SEEDS, FRESH_SEEDS + (trials or 10))
    return _adult(seeds, data, track, lambda problem: _smote(problem, 99), local=False).summary()


def _adult(
    seeds: Sequence[int],
    data: Path | None,
    track: Track,
    anchors: Callable[[Problem], dict[str, Any]],
    *,
    local: bool = True,
) -> Trials:
    measured = Trials()
    X, y, _ = adult_table(load("adult", data=data))
    for seed, (table, scenario) in track(list(product(seeds, SCENARIOS.items()))):
        setting = Setting(table, "adult", scenario, _xgb(), _xgb(), 5, None, 2500, local=local)
        problem = adult(X, y, scenario, seed)
        measure(measured, setting, problem, anchors(problem))
    return measured


def _tables_6_and_7(trials: int | None, data: Path | None, track: Track = iter) -> pd.DataFrame:
    measured, here = Trials(), available(data)
    for name in track([name for name, (_, slug) in SMALL.items() if slug in here]):
        table, slug = SMALL[name]
        setting = Setting(table, name, "2 x 3, five folds", Ridge(), readable_tree(), 5, 15, 2500)
        for problem in small(slug, data):
            k = min(50, len(problem.public) - 1)
            anchors = {"DC(TSVD)": LowRank(20), "DC(SMOTE)": Smote(problem.public, k)}
            measure(measured, setting, problem, anchors)
    return _finish(measured, ["Table 6", "Table 7"])


def _figure_3(trials: int | None, data: Path | None, track: Track = iter) -> pd.DataFrame:
    """Accuracy of the readable model on Adult over k and alpha, artificial partition."""
    X, y, _ = adult_table(load("adult", data=data))
    problems = [adult(X, y, "artificial", seed) for seed in range(trials or 1)]
    setting = Setting("Figure 3", "adult", "artificial", _xgb(), _xgb(), 5, None, 2500)
    measured = Trials()
    for k, alpha in track(list(product(FIGURE_K, FIGURE_ALPHA))):
        for problem in problems:
            model = collaborate(setting, problem, Smote(problem.public, k, alpha))
            measured.add(("Figure 3", "adult", str(k), str(alpha), "ACC"), accuracy(problem, model))
    names = {"setting": "k", "method": "alpha", "ours": "ACC", "ours_spread": "spread"}
    found = measured.summary().rename(columns=names).astype({"k": int, "alpha": float})
    return found[["k", "alpha", "ACC", "spread", "trials"]].assign(maps="linear")


PARTS: dict[str, Callable[..., pd.DataFrame]] = {
    "table-1": _table_1,
    "tables-2-3": _tables_2_and_3,
    "tables-4-5": _tables_4_and_5,
    "fresh-seeds": _fresh_seeds,
    "tables-6-7": _tables_6_and_7,
    "figure-3": _figure_3,
}


def _anchors(problem: Problem, k: int, ranks: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the anchors a table compares, by the method's name in the paper."""
    return {
        "DC(raw)": problem.X,
        "DC(rand)": "uniform",
        **{f"DC(TSVD){name}": LowRank(rank) for name, rank in ranks.items()},
        **_smote(problem, k),
        "DC(gaussian)": "gaussian",
    }


def _smote(problem: Problem, k: int) -> dict[str, Any]:
    anchor = Smote(problem.public, k)
    return {"DC(SMOTE)": anchor, f"DC(SMOTE){AFFINE}": anchor}


def _finish(measured: Trials, tables: list[str]) -> pd.DataFrame:
    return compare(measured.summary(), _published(tables))


def _published(tables: list[str]) -> pd.DataFrame:
    reference = published("smote_anchors")
    return reference[reference.table.isin(tables)]


def _xgb() -> Any:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("Tables 2 to 5", "xgboost", "boost") from error
    return XGBClassifier(n_jobs=1)
