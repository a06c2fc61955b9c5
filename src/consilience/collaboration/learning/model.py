"""One face for whatever learns from targets: a classifier, a regressor, or a constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier
from sklearn.linear_model import Ridge

from consilience.collaboration.learning.label_mix import reweigh

__all__ = ["Model", "Task", "fit_model"]

Array = npt.NDArray[np.float64]
Task = Literal["classification", "regression"]


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted estimator that answers in the columns of the targets.

    Parameters
    ----------
    estimator : estimator or None
        None predicts ``constant`` everywhere.
    present : ndarray of int or None
        For a classifier: the columns of the targets its classes stand for.
    constant : ndarray of shape (n_outputs,)
        The only target that was seen, or the mean.
    log_ratio : ndarray of shape (n_outputs,), optional
        For rows of another mix of classes than it was learnt with: see
        :mod:`~consilience.collaboration.learning.label_mix`.
    sharpness : float
        The power that its scores are taken to before that.
    """

    estimator: Any
    present: npt.NDArray[np.intp] | None
    constant: Array
    log_ratio: Array | None = None
    sharpness: float = 1.0

    def predict(self, X: Array) -> Array:
        """Return scores of shape (n_rows, n_outputs)."""
        scores = self._scores(X)
        if self.log_ratio is None:
            return scores
        return reweigh(scores, self.log_ratio, self.sharpness)

    def _scores(self, X: Array) -> Array:
        if self.estimator is None:
            return np.tile(self.constant, (len(X), 1))
        if self.present is None:
            return np.asarray(self.estimator.predict(X), dtype=np.float64).reshape(len(X), -1)
        values = np.zeros((len(X), len(self.constant)))
        if hasattr(self.estimator, "predict_proba"):
            values[:, self.present] = self.estimator.predict_proba(X)
        else:
            codes = np.asarray(self.estimator.predict(X), dtype=np.intp)
            values[np.arange(len(X)), self.present[codes]] = 1.0
        return values


def fit_model(estimator: Any, X: Array, Y: Array, task: Task, seed: int) -> Model:
    """Fit an estimator to targets (Alg. 1, lines 9 and 13, [Imakura2023]_).

    Parameters
    ----------
    estimator : estimator or None
        A classifier learns the column that is 1. A regressor learns all columns. None is ridge
        regression on the binary matrix, as in the paper.
    X : ndarray of shape (n_rows, n_features)
    Y : ndarray of shape (n_rows, n_outputs)
    task : {"classification", "regression"}
    seed : int
        For an estimator without a ``random_state`` of its own.

    Returns
    -------
    Model
        A constant where only one class was seen: some classifiers refuse that, and an anchor may
        well lie on one side of a boundary.

    Examples
    --------
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.eye(2)[[0, 0, 1]]
    >>> fit_model(None, X, Y, "classification", 0).predict(X).argmax(axis=1)
    array([0, 0, 1])
    """
    learner = Ridge() if estimator is None else clone(estimator)
    if task == "regression":
        if is_classifier(learner):
            raise ValueError(
                f"estimator == {learner!r} is a classifier, but the targets are values. Choose a "
                f"regressor."
            )
        return Model(_fit(learner, X, Y[:, 0] if Y.shape[1] == 1 else Y, seed), None, Y.mean(0))
    present, codes = np.unique(Y.argmax(axis=1), return_inverse=True)
    constant = np.eye(Y.shape[1])[present[0]]
    if len(present) == 1:
        return Model(None, None, constant)
    if is_classifier(learner):
        return Model(_fit(learner, X, codes, seed), present, constant)
    return Model(_fit(learner, X, Y, seed), None, constant)


def _fit(learner: Any, X: Array, y: npt.NDArray[Any], seed: int) -> Any:
    if "random_state" in learner.get_params() and learner.random_state is None:
        learner.set_params(random_state=seed)
    return learner.fit(X, y)
