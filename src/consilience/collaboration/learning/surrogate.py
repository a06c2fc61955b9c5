"""A readable model in a party's own features that imitates the analyst's (Alg. 1, line 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.metrics import r2_score
from sklearn.tree import (
    BaseDecisionTree,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_text,
)

from consilience.collaboration.learning.importance import feature_importance
from consilience.collaboration.learning.model import Model, Task, fit_model
from consilience.collaboration.learning.targets import decode_classes

__all__ = ["MAX_SPLITS", "Scope", "Surrogate", "fit_surrogate", "readable_tree"]

Array = npt.NDArray[np.float64]
Scope = Literal["column", "all"]

MAX_SPLITS = 5
"""Branches of the default tree; it then has one leaf more."""


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A readable model of the analyst's model.

    Parameters
    ----------
    fitted : Model
        Its ``estimator`` is the readable model itself, or None where the analyst predicted one
        class for the whole anchor.
    feature_names : list of str
        The features it speaks of.
    scope : {"column", "all"}
        ``column``: it explains in the columns of one party, what other columns decide is lost to
        it. ``all``: it explains in every column of the study.
    classes : ndarray of shape (n_classes,) or None
        None for a regression.
    fidelity : float
        Share of the rows it was fitted to on which it agrees with the analyst's model (R2 for a
        regression). It says how far to trust the explanation, not how right the model is.
    importances : ndarray of shape (n_features,)
        See :func:`~consilience.collaboration.learning.importance.feature_importance`.
    imitated : {"anchor", "rows"}
        What it was fitted to: the anchor, as in the paper, or the party's own rows.
    agreement : float, optional
        Share of the party's own rows, not seen in the fit, on which it agrees with the analyst's
        model; nothing where that was not, or cannot be, measured.
    never_said : dict of str to int
        Classes it never says of the party's rows, and of how many of them the analyst says them.
    """

    fitted: Model
    feature_names: list[str]
    scope: Scope
    classes: npt.NDArray[Any] | None
    fidelity: float
    importances: Array
    imitated: Literal["anchor", "rows"] = "anchor"
    agreement: float | None = None
    never_said: Mapping[str, int] = field(default_factory=dict)

    @property
    def model(self) -> Any:
        """The fitted scikit-learn estimator, or None for a constant."""
        return self.fitted.estimator

    def reach(self, party: str) -> str:
        """Say in which features it speaks, of the party whose model it is."""
        if self.scope == "all":
            return "in all features of the study"
        return f"in the features of {party} alone: what other columns decide is lost to it"

    def predict(self, X: Array) -> npt.NDArray[Any]:
        """Predict the classes, or values, of rows in the features of the surrogate."""
        values = self.fitted.predict(np.asarray(X, dtype=np.float64))
        if self.classes is not None:
            return decode_classes(values, self.classes)
        return values[:, 0] if values.shape[1] == 1 else values

    def top_features(self, t: int = 5) -> list[str]:
        """Return the names of the t most important features, the most important first."""
        order = np.argsort(-self.importances, kind="stable")[:t]
        return [self.feature_names[k] for k in order]

    def export_text(self, decimals: int = 2) -> str:
        """Write the model out: the rules of a tree, or else the features by importance."""
        if self.model is None:
            only = self.fitted.constant
            said = only if self.classes is None else self.classes[int(only.argmax())]
            return f"always {said}\n"
        if isinstance(self.model, BaseDecisionTree):
            names = None if self.classes is None else [str(c) for c in self._seen_classes()]
            return str(
                export_text(
                    self.model,
                    feature_names=self.feature_names,
                    class_names=names,
                    decimals=decimals,
                )
            )
        lines = [
            f"{self.feature_names[k]}  {self.importances[k]:.{decimals}f}"
            for k in np.argsort(-self.importances, kind="stable")
            if self.importances[k] > 0
        ]
        return "\n".join(["importance of the features", *lines, ""])

    def _seen_classes(self) -> npt.NDArray[Any]:
        assert self.classes is not None
        return self.classes if self.fitted.present is None else self.classes[self.fitted.present]


def readable_tree(n_splits: int = MAX_SPLITS) -> DecisionTreeClassifier:
    """Return a decision tree of so many branches at most, not fitted.

    Examples
    --------
    >>> readable_tree(2).max_leaf_nodes
    3
    """
    return DecisionTreeClassifier(max_leaf_nodes=n_splits + 1)


def fit_surrogate(
    anchor: Array,
    values: Array,
    *,
    readable: Any = None,
    feature_names: Sequence[str],
    scope: Scope = "column",
    classes: npt.NDArray[Any] | None = None,
    seed: int = 0,
) -> Surrogate:
    """Fit a readable model to the analyst's predictions for the anchor.

    Parameters
    ----------
    anchor : ndarray of shape (n_anchor, n_features)
        In original features.
    values : ndarray of shape (n_anchor, n_outputs)
        The analyst's predictions.
    readable : estimator, optional
        None is a decision tree with at most 5 splits.
    feature_names : sequence of str
    scope : {"column", "all"}
    classes : ndarray of shape (n_classes,), optional
        None for a regression.
    seed : int

    Examples
    --------
    >>> A = np.linspace(0, 1, 9)[:, None]
    >>> told = np.eye(2)[(A[:, 0] > 0.5).astype(int)]
    >>> s = fit_surrogate(A, told, feature_names=["age"], classes=np.array(["no", "yes"]))
    >>> print(s.export_text())
    |--- age <= 0.56
    |   |--- class: no
    |--- age >  0.56
    |   |--- class: yes
    <BLANKLINE>
    >>> s.fidelity, s.top_features(1)
    (1.0, ['age'])
    """
    task: Task = "regression" if classes is None else "classification"
    if readable is None and classes is None:
        readable = DecisionTreeRegressor(max_leaf_nodes=MAX_SPLITS + 1)
    elif readable is None:
        readable = readable_tree()
    fitted = fit_model(readable, anchor, values, task, seed)
    told = fitted.predict(anchor)
    if classes is None:
        fidelity = float(r2_score(values, told))
    else:
        fidelity = float((told.argmax(axis=1) == values.argmax(axis=1)).mean())
    importances = (
        np.zeros(anchor.shape[1])
        if fitted.estimator is None
        else feature_importance(fitted.estimator, anchor, seed)
    )
    return Surrogate(fitted, list(feature_names), scope, classes, fidelity, importances)
