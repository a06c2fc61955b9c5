"""Which features a model uses, by the measure that suits the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.inspection import permutation_importance

__all__ = ["SHAPLEY_ROWS", "feature_importance"]

Array = npt.NDArray[np.float64]

SHAPLEY_ROWS = 1_000
"""Evenly spaced rows on which Shapley values are averaged: they cost far more than predictions."""


def feature_importance(model: Any, X: Array, seed: int = 0) -> Array:
    r"""Return the importance of each feature, in shares that add up to 1.

    ==================  =====================================================================
    XGBoost             mean absolute Shapley value on up to 1,000 rows (its ``pred_contribs``)
    a tree or a forest  its ``feature_importances_``
    a linear model      :math:`|w_j|` times the standard deviation of feature j on ``X``
    anything else       loss of score when the feature's values are permuted
    ==================  =====================================================================

    Parameters
    ----------
    model : fitted estimator
    X : ndarray of shape (n_rows, n_features)
        Rows the model is explained on: the anchor, at a party.
    seed : int
        For the permutations.

    Returns
    -------
    ndarray of shape (n_features,)
        All zero if the model uses nothing.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]])
    >>> feature_importance(DecisionTreeClassifier().fit(X, [0, 0, 1]), X)
    array([1., 0.])
    """
    if hasattr(model, "get_booster"):
        raw = _mean_absolute_shapley(model, X)
    elif hasattr(model, "feature_importances_"):
        raw = np.asarray(model.feature_importances_, dtype=np.float64)
    elif hasattr(model, "coef_"):
        raw = np.abs(np.atleast_2d(model.coef_)).sum(axis=0) * X.std(axis=0)
    else:
        y = model.predict(X)
        found = permutation_importance(model, X, y, n_repeats=5, random_state=seed)
        raw = np.maximum(found.importances_mean, 0)
    total = raw.sum()
    return np.asarray(raw / total if total > 0 else raw)


def _mean_absolute_shapley(model: Any, X: Array) -> Array:
    from xgboost import DMatrix

    rows = np.linspace(0, len(X) - 1, min(len(X), SHAPLEY_ROWS)).astype(np.intp)
    values = model.get_booster().predict(DMatrix(X[rows]), pred_contribs=True)
    # Two classes: (rows, features + 1); more: (rows, classes, features + 1). The last is the bias.
    features = np.abs(values[..., :-1].astype(np.float64))
    return np.asarray(features.reshape(-1, features.shape[-1]).mean(axis=0))
