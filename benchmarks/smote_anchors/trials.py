"""One trial of [Imakura2023]_: centralised, local, and every anchor of a table.

Settings as the tables need them: no scaling, centred PCA and the linear maps of Algorithm 1, lines
8 and 9; noise of the low-rank anchor is a tenth of the standard deviation of a party's whole table;
labels return hard; importance is the mean absolute Shapley value for XGBoost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from benchmarks.smote_anchors.problems import Problem
from benchmarks.tables import Trials
from consilience import InterpretableCollaboration
from consilience.collaboration.anchors import average_minimum_distance, earth_movers_distance
from consilience.collaboration.learning import feature_importance
from consilience.collaboration.learning.model import fit_model
from consilience.metrics import nmi

__all__ = ["AFFINE", "Setting", "accuracy", "collaborate", "measure"]

Array = npt.NDArray[np.float64]

AFFINE = ", affine map"
"""Ends the name of a row measured with this package's maps, which have an offset."""


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
    local: bool = True


def measure(measured: Trials, setting: Setting, problem: Problem, anchors: dict[str, Any]) -> None:
    """Measure all methods on one problem."""
    cell = (setting.table, setting.data, setting.name)
    n_top, everything = f"Dice{setting.n_top}", np.arange(problem.X.shape[1])

    def record(method: str, scores: list[tuple[float, float, float]]) -> None:
        for metric, values in zip(("NMI", "ACC", n_top), zip(*scores, strict=True), strict=True):
            measured.add((*cell, method, metric), float(np.mean(values)))

    essential, *central = _learn(setting, problem, np.arange(len(problem.X)), everything, None)
    record("Centralized", [tuple(central)])
    if setting.local:
        record("Local", _local(setting, problem, essential))
    for method, anchor in anchors.items():
        model = collaborate(setting, problem, anchor, affine=method.endswith(AFFINE))
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


def _local(
    setting: Setting, problem: Problem, essential: set[int]
) -> list[tuple[float, float, float]]:
    return [
        tuple(_learn(setting, problem, np.flatnonzero(problem.parties == i), part, essential)[1:])
        for i in np.unique(problem.parties)
        for part in problem.columns
    ]


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
        random_state=problem.seed,
    )
    return model.fit(problem.X, problem.y, parties=problem.parties)


def accuracy(problem: Problem, model: InterpretableCollaboration) -> float:
    """Return the mean accuracy of the institutions' readable models."""
    told = [s.predict(problem.X_test) == problem.y_test for s in model.surrogates_.values()]
    return float(np.mean(told))


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
