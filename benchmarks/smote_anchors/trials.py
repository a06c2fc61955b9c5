"""The trials of [Imakura2023]_: centralised, local, and every anchor of a table.

Settings as the tables need them: no scaling, centred PCA and the linear maps of Algorithm 1, lines
8 and 9; noise of the low-rank anchor is a tenth of the standard deviation of a party's whole table;
labels return hard; importance is the mean absolute Shapley value for XGBoost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Ridge

from benchmarks.distances import average_minimum_distance, earth_movers_distance
from benchmarks.problems import Array, Cells, Labels
from benchmarks.smote_anchors.problems import Problem, adult, artificial, credit, small
from consilience import InterpretableCollaboration
from consilience.collaboration.anchors.lowrank import LowRank
from consilience.collaboration.anchors.smote import Smote
from consilience.collaboration.learning.importance import feature_importance
from consilience.collaboration.learning.model import fit_model
from consilience.collaboration.learning.surrogate import readable_tree
from consilience.exceptions import MissingExtraError
from consilience.metrics import nmi

AFFINE = ", affine map"
"""Ends the name of a row measured with this package's maps, which have an offset."""
ALL_PUBLIC = "DC(SMOTE), all rows public"
"""The anchor made of all training rows: it shows them, and is no way to make one."""
NOISES = (0.01, 0.2, 0.8)
"""Other noise of the low-rank anchor in Table 1, in standard deviations: the paper gives none."""


def table_1(seed: int) -> Cells:
    """One trial of the artificial set."""
    problem = artificial(seed)
    noisy = {f"DC(TSVD), noise {noise}": LowRank(3, noise) for noise in NOISES}
    anchors = {**anchors_of(problem, 25, {"": 3}), **noisy}
    cell = ("Table 1", "artificial", "2 x 2, odd and even")
    yield from measure(cell, artificial_setting(), problem, anchors)


def artificial_setting() -> Setting:
    """Return how Table 1 learns: ridge regression, a tree with five splits, 5 dimensions."""
    return Setting(Ridge(), readable_tree(), 3, 5, 1000, measures=True)


def tables_2_3(path: Path, seed: int) -> Cells:
    """One trial of the credit ratings; distances of the anchor are Table 3."""
    problem = credit(path, seed)
    setting = Setting(_xgb(), _xgb(), 2, None, 2500, measures=True)
    anchors = anchors_of(problem, 99, {f" rank={k}": k for k in (1, 2, 3)})
    cells = measure(("credit", "2 x 2, by kind"), setting, problem, anchors)
    for cell, value in cells:
        distance = cell[-1] in ("EMD", "AMD(raw)", "AMD(anc)")
        yield ("Table 3" if distance else "Table 2", *cell), value


def tables_4_5(
    X: Array, y: Labels, table: str, scenario: str, seed: int, smote_alone: bool = False
) -> Cells:
    """One trial of Adult with one partition of the columns."""
    problem = adult(X, y, scenario, seed)
    anchors = _smote(problem, 99)
    if not smote_alone:
        anchors = anchors_of(problem, 99, {" rank=2": 2, " rank=m-1": None})
    setting = Setting(_xgb(), _xgb(), 5, None, 2500, local=not smote_alone)
    yield from measure((table, "adult", scenario), setting, problem, anchors)


def tables_6_7(table: str, name: str, slug: str, data: Path | None) -> Cells:
    """Measure the five folds of one small set."""
    setting = Setting(Ridge(), readable_tree(), 5, 15, 2500)
    for problem in small(slug, data):
        smote = Smote(problem.public, min(50, len(problem.public) - 1))
        anchors = {"DC(TSVD)": LowRank(20), "DC(SMOTE)": smote}
        yield from measure((table, name, "2 x 3, five folds"), setting, problem, anchors)
    yield from all_rows_public(table, name, slug, data, setting)


def all_rows_public(table: str, name: str, slug: str, data: Path | None, setting: Setting) -> Cells:
    """Measure the anchor made of all training rows of a small set, which leaks them."""
    for problem in small(slug, data, all_public=True):
        # Drawn here: a party refuses public rows that are its own.
        smote = Smote(problem.X, min(50, len(problem.X) - 1)).draw(bytes(32), setting.n_anchor)
        place, alone = (table, name, "2 x 3, five folds"), replace(setting, local=False)
        cells = measure(place, alone, problem, {ALL_PUBLIC: smote})
        yield from ((cell, value) for cell, value in cells if cell[-2] == ALL_PUBLIC)


def figure_3(X: Array, y: Labels, k: int, alpha: float, seed: int) -> Cells:
    """Accuracy of the readable model on Adult at one k and alpha, artificial partition."""
    problem = adult(X, y, "artificial", seed)
    setting = Setting(_xgb(), _xgb(), 5, None, 2500)
    model = collaborate(setting, problem, Smote(problem.public, k, alpha))
    yield ("Figure 3", "adult", str(k), str(alpha), "ACC"), accuracy(problem, model)


def anchors_of(problem: Problem, k: int, ranks: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the anchors a table compares, by the method's name in the paper; ranks are TSVD's."""
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


def _xgb() -> Any:
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("Tables 2 to 5", "xgboost", "boost") from error
    return XGBClassifier(n_jobs=1)


@dataclass(frozen=True)
class Setting:
    """How one table learns and explains."""

    model: Any
    readable: Any
    n_top: int
    n_components: int | None
    n_anchor: int
    measures: bool = False
    local: bool = True


def measure(
    cell: tuple[str, ...], setting: Setting, problem: Problem, anchors: dict[str, Any]
) -> Cells:
    """Measure all methods on one problem."""
    metrics, everything = ("NMI", "ACC", f"Dice{setting.n_top}"), np.arange(problem.X.shape[1])

    def means(method: str, scores: Sequence[tuple[float, ...]]) -> Cells:
        for metric, value in zip(metrics, np.mean(scores, axis=0), strict=True):
            yield (*cell, method, metric), value

    rows = np.arange(len(problem.X))
    essential, central = _learn(setting, problem, rows, everything, None)
    yield from means("Centralized", [central])
    if setting.local:
        local = [
            _learn(setting, problem, np.flatnonzero(problem.parties == i), part, essential)[1]
            for i in np.unique(problem.parties)
            for part in problem.columns
        ]
        yield from means("Local", local)
    for method, anchor in anchors.items():
        model = collaborate(setting, problem, anchor, affine=method.endswith(AFFINE))
        told = []
        for surrogate in model.surrogates_.values():
            top = _top(everything, surrogate.importances, setting.n_top)
            labels = surrogate.predict(problem.X_test)
            told.append((*_scores(problem, labels), len(essential & top) / setting.n_top))
        yield from means(method, told)
        if setting.measures:
            X, A = problem.X, model.anchor_
            yield (*cell, method, "EMD"), earth_movers_distance(X, A, seed=problem.seed)
            yield (*cell, method, "AMD(raw)"), average_minimum_distance(X, A)
            yield (*cell, method, "AMD(anc)"), average_minimum_distance(A, X)


def collaborate(
    setting: Setting, problem: Problem, anchor: Any, *, affine: bool = False
) -> InterpretableCollaboration:
    """Fit the collaboration with one anchor, and the readable models of its institutions."""
    model = InterpretableCollaboration(
        setting.model,
        setting.readable,
        columns=problem.columns,
        n_components=setting.n_components,
        anchor=anchor,
        n_anchor=setting.n_anchor,
        affine=affine,
        rounding=None,
        random_state=problem.seed,
    )
    return model.fit(problem.X, problem.y, parties=problem.parties)


def accuracy(problem: Problem, model: InterpretableCollaboration) -> float:
    """Return the mean accuracy of the institutions' readable models."""
    told = [s.predict(problem.X_test) == problem.y_test for s in model.surrogates_.values()]
    return float(np.mean(told))


def _learn(
    setting: Setting, problem: Problem, rows: Any, columns: Any, essential: set[int] | None
) -> tuple[set[int], tuple[float, float, float]]:
    """Fit the readable model to raw rows, as the centralised and the local analysis do."""
    X = problem.X[np.ix_(rows, columns)]
    Y = np.eye(problem.y.max() + 1)[problem.y[rows]]
    model = fit_model(clone(setting.readable), X, Y, "classification", problem.seed)
    labels = model.predict(problem.X_test[:, columns]).argmax(axis=1)
    top = _top(columns, feature_importance(model.estimator, X), setting.n_top)
    dice = 1.0 if essential is None else len(top & essential) / setting.n_top
    return top, (*_scores(problem, labels), dice)


def _top(columns: Any, importances: Array, n_top: int) -> set[int]:
    """Return the most important columns."""
    return set(columns[np.argsort(-importances, kind="stable")[:n_top]].tolist())


def _scores(problem: Problem, labels: Any) -> tuple[float, float]:
    return nmi(problem.y_test, labels), float(np.mean(labels == problem.y_test))
