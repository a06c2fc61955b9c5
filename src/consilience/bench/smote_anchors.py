"""The tables of the SMOTE anchors [Imakura2023]_: published, ours, gap.

Settings as the tables need them: no scaling, centred PCA, affine maps; DC(raw) takes all training
rows as anchor; noise of the low-rank anchor is a tenth of the standard deviation of a party's whole
table; labels return hard; importance is the mean absolute Shapley value for XGBoost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rich.progress import Progress
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from consilience import InterpretableCollaboration
from consilience.bench.smote_page import write_page
from consilience.bench.smote_problems import (
    CREDIT_FILE,
    Problem,
    adult,
    adult_table,
    artificial,
    credit,
    small,
)
from consilience.bench.tables import Trials, compare, published, write_csv
from consilience.collaboration.anchors import (
    LowRank,
    Smote,
    average_minimum_distance,
    earth_movers_distance,
)
from consilience.collaboration.learning import feature_importance
from consilience.collaboration.learning.model import fit_model
from consilience.collaboration.learning.surrogate import MAX_SPLITS
from consilience.datasets import available, load
from consilience.exceptions import MissingExtraError
from consilience.metrics import nmi

__all__ = ["PARTS", "run"]

Array = npt.NDArray[np.float64]

SMALL = {
    "leukemia": ("Table 6", "allaml"),
    "pixraw10P": ("Table 7", "pixraw10p"),
    "Prostate_GE": ("Table 7", "prostate_ge"),
    "TOX-171": ("Table 7", "tox_171"),
    "warpAR10P": ("Table 7", "warpar10p"),
}
"""The paper's small sets that are at hand, with their table and their name here."""

LINEAR = "DC(SMOTE), linear map"
"""The maps of the paper's text, without the offset that this package adds."""

FIGURE_K = (1, 5, 25, 50, 99)
FIGURE_ALPHA = (0.1, 0.5, 1.0, 1.5, 3.0, 5.0)


@dataclass(frozen=True)
class Setting:
    """How one table learns and explains."""

    table: str
    data: str
    name: str
    model: Any
    readable: Any
    n_top: int
    n_components: int | None
    n_anchor: int
    measures: bool = False


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results, the figure's data and the page.

    Parameters
    ----------
    trials : int or None
        Trials per cell of Tables 1 to 5; None means the paper's 20 (Table 1) and 10. The figure
        takes one.
    data : Path or None
        Folder with the data sets; Tables 2 and 3 need CreditRating_Historical.dat there.
    out : Path
        Root under which ``benchmarks/results`` and ``docs`` are written.
    progress : rich.progress.Progress

    Yields
    ------
    Path
        Each file written.
    """
    results = out / "benchmarks" / "results"
    for name, part in PARTS.items():
        task = progress.add_task(f"SMOTE anchors, {name}", total=None)
        measured = part(trials, data)
        progress.update(task, total=1, completed=1)
        if measured is not None:
            path = results / f"smote-anchors-{name}.csv"
            write_csv(measured, path)
            yield path
    yield from write_page(results, out / "docs")


def _table_1(trials: int | None, data: Path | None) -> pd.DataFrame:
    measured = Trials()
    setting = Setting(
        "Table 1", "artificial", "2 x 2, odd and even", Ridge(), _tree(), 3, 5, 1000, True
    )
    for seed in range(trials or 20):
        problem = artificial(seed)
        _trial(measured, setting, problem, _anchors(problem, 25, {"": 3}))
    return _finish(measured, ["Table 1"])


def _tables_2_and_3(trials: int | None, data: Path | None) -> pd.DataFrame | None:
    if data is None or not (data / CREDIT_FILE).is_file():
        return _finish(Trials(), ["Table 2", "Table 3"])
    measured = Trials()
    setting = Setting("Table 2", "credit", "2 x 2, by kind", _xgb(), _xgb(), 2, None, 2500, True)
    for seed in range(trials or 10):
        problem = credit(data, seed)
        ranks = {f" rank={k}": k for k in (1, 2, 3)}
        _trial(measured, setting, problem, _anchors(problem, 99, ranks))
    frame = measured.summary()
    confidentiality = frame.metric.isin(["EMD", "AMD(raw)", "AMD(anc)"])
    frame.loc[confidentiality, "table"] = "Table 3"
    return compare(frame, _published(["Table 2", "Table 3"]))


def _tables_4_and_5(trials: int | None, data: Path | None) -> pd.DataFrame:
    measured = Trials()
    X, y, _ = adult_table(load("adult", data=data))
    for seed in range(trials or 10):
        for table, scenario in (("Table 4", "artificial"), ("Table 5", "feature type")):
            setting = Setting(table, "adult", scenario, _xgb(), _xgb(), 5, None, 2500)
            problem = adult(X, y, scenario, seed)
            ranks = {" rank=2": 2, " rank=m-1": None}
            anchors = _anchors(problem, 99, ranks)
            _trial(measured, setting, problem, {**anchors, LINEAR: anchors["DC(SMOTE)"]})
    return _finish(measured, ["Table 4", "Table 5"])


def _tables_6_and_7(trials: int | None, data: Path | None) -> pd.DataFrame:
    measured, here = Trials(), available(data)
    for name, (table, slug) in SMALL.items():
        if slug not in here:
            continue
        setting = Setting(table, name, "2 x 3, five folds", Ridge(), _tree(), 5, 15, 2500)
        for problem in small(slug, data):
            k = min(50, len(problem.public) - 1)
            anchors = _anchors(problem, k, {"": 20})
            kept = {m: anchors[m] for m in ("DC(TSVD)", "DC(SMOTE)", "DC(gaussian)")}
            _trial(measured, setting, problem, kept)
    return _finish(measured, ["Table 6", "Table 7"])


def _figure_3(trials: int | None, data: Path | None) -> pd.DataFrame:
    """Accuracy of the readable model on Adult over k and alpha, artificial partition."""
    X, y, _ = adult_table(load("adult", data=data))
    rows = []
    problem = adult(X, y, "artificial", 0)
    setting = Setting("Figure 3", "adult", "artificial", _xgb(), _xgb(), 5, None, 2500)
    for k in FIGURE_K:
        for alpha in FIGURE_ALPHA:
            model = _collaborate(setting, problem, Smote(problem.public, k, alpha))
            scores = [
                np.mean(s.predict(problem.X_test) == problem.y_test)
                for s in model.surrogates_.values()
            ]
            rows.append((k, alpha, float(np.mean(scores))))
    return pd.DataFrame(rows, columns=["k", "alpha", "ACC"])


PARTS: dict[str, Callable[[int | None, Path | None], pd.DataFrame | None]] = {
    "table-1": _table_1,
    "tables-2-3": _tables_2_and_3,
    "tables-4-5": _tables_4_and_5,
    "tables-6-7": _tables_6_and_7,
    "figure-3": _figure_3,
}


def _anchors(problem: Problem, k: int, ranks: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the anchors a table compares, by the method's name in the paper."""
    return {
        "DC(raw)": problem.X,
        "DC(rand)": "uniform",
        **{f"DC(TSVD){name}": LowRank(rank) for name, rank in ranks.items()},
        "DC(SMOTE)": Smote(problem.public, k),
        "DC(gaussian)": "gaussian",
    }


def _trial(measured: Trials, setting: Setting, problem: Problem, anchors: dict[str, Any]) -> None:
    """Measure all methods on one problem."""
    cell = (setting.table, setting.data, setting.name)
    n_top, everything = f"Dice{setting.n_top}", np.arange(problem.X.shape[1])

    def record(method: str, scores: list[tuple[float, float, float]]) -> None:
        for metric, values in zip(("NMI", "ACC", n_top), zip(*scores, strict=True), strict=True):
            measured.add((*cell, method, metric), float(np.mean(values)))

    essential, *central = _learn(setting, problem, np.arange(len(problem.X)), everything, None)
    record("Centralized", [tuple(central)])
    local = [
        tuple(_learn(setting, problem, np.flatnonzero(problem.parties == i), part, essential)[1:])
        for i in np.unique(problem.parties)
        for part in problem.columns
    ]
    record("Local", local)
    for method, anchor in anchors.items():
        model = _collaborate(setting, problem, anchor, affine=method != LINEAR)
        told = [
            (
                *_scores(problem, s.predict(problem.X_test)),
                _dice(essential, everything, s.importances, setting.n_top),
            )
            for s in model.surrogates_.values()
        ]
        record(method, told)
        if setting.measures:
            for metric, value in _distances(problem, model):
                measured.add((*cell, method, metric), value)


def _collaborate(
    setting: Setting, problem: Problem, anchor: Any, *, affine: bool = True
) -> InterpretableCollaboration:
    model = InterpretableCollaboration(
        setting.model,
        setting.readable,
        columns=problem.columns,
        n_components=setting.n_components,
        anchor=anchor,
        n_anchor=setting.n_anchor,
        affine=affine,
        random_state=problem.seed,
    )
    return model.fit(problem.X, problem.y, parties=problem.parties)


def _learn(
    setting: Setting,
    problem: Problem,
    rows: npt.NDArray[Any],
    columns: npt.NDArray[Any],
    essential: set[int] | None,
) -> tuple[Any, ...]:
    """Fit the readable model to raw rows, as the centralised and the local analysis do."""
    X = problem.X[np.ix_(rows, columns)]
    Y = np.eye(problem.y.max() + 1)[problem.y[rows]]
    model = fit_model(clone(setting.readable), X, Y, "classification", problem.seed)
    labels = model.predict(problem.X_test[:, columns]).argmax(axis=1)
    importances = feature_importance(model.estimator, X)
    top = set(columns[np.argsort(-importances, kind="stable")[: setting.n_top]].tolist())
    dice = 1.0 if essential is None else len(top & essential) / setting.n_top
    return top, *_scores(problem, labels), dice


def _scores(problem: Problem, labels: npt.NDArray[Any]) -> tuple[float, float]:
    return nmi(problem.y_test, labels), float(np.mean(labels == problem.y_test))


def _dice(essential: set[int], columns: npt.NDArray[Any], importances: Array, n_top: int) -> float:
    top = columns[np.argsort(-importances, kind="stable")[:n_top]]
    return len(essential & set(top.tolist())) / n_top


def _distances(problem: Problem, model: InterpretableCollaboration) -> list[tuple[str, float]]:
    """Return EMD, AMD(raw) and AMD(anc) of the anchor a model was fitted with."""
    A = model.anchor_
    return [
        ("EMD", earth_movers_distance(problem.X, A, seed=problem.seed).value),
        ("AMD(raw)", average_minimum_distance(problem.X, A)),
        ("AMD(anc)", average_minimum_distance(A, problem.X)),
    ]


def _finish(measured: Trials, tables: list[str]) -> pd.DataFrame:
    return compare(measured.summary(), _published(tables))


def _published(tables: list[str]) -> pd.DataFrame:
    reference = published("smote_anchors")
    return reference[reference.table.isin(tables)]


def _tree() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_leaf_nodes=MAX_SPLITS + 1)


def _xgb() -> Any:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("Tables 2 to 5", "xgboost", "boost") from error
    return XGBClassifier(n_jobs=1)
