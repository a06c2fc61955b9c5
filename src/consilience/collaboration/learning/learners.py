"""Which learners can be carried to a party, and how their fitted numbers are read.

A learner whose fitted numbers are public, few and documented can be carried; any other is refused,
before any work, with the list of those that can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
)
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from consilience.collaboration.learning.carried import Carried, Layers, Trees

__all__ = ["PORTABLE", "carry", "check_portable"]

Array = npt.NDArray[np.float64]


def check_portable(estimator: Any) -> None:
    """Refuse a learner that cannot be carried, before anything is learnt.

    Parameters
    ----------
    estimator : estimator or None
        As of :func:`~consilience.collaboration.learning.model.fit_model`.
    """
    reason = _refusal(estimator)
    if reason:
        raise ValueError(
            f"{reason}, so its model cannot be carried to a party without code that would have to "
            f"be trusted. Those that can: {', '.join(k.__name__ for k in PORTABLE)}, each also "
            f"after a StandardScaler in a pipeline. Choose one of them, or an answer without the "
            f"model."
        )


def _refusal(estimator: Any) -> str | None:
    """Return why a learner cannot be carried, or None."""
    if estimator is None:
        return None
    if type(estimator) is Pipeline:
        *before, (_, last) = estimator.steps
        if any(type(step) is not StandardScaler for _, step in before) or len(before) > 1:
            return "a pipeline can be carried with one StandardScaler before the learner alone"
        return _refusal(last)
    if type(estimator) not in PORTABLE:
        return f"{type(estimator).__name__} is not among the learners with documented numbers"
    if getattr(estimator, "init", None) not in (None, "zero"):
        return f"init == {estimator.init!r} of a {type(estimator).__name__} is another learner"
    loss = getattr(estimator, "loss", None)
    if loss in ("exponential", "poisson"):
        return f"loss == {loss!r} of a {type(estimator).__name__} has another link"
    return None


def carry(estimator: Any) -> Carried:
    """Read the numbers of a fitted learner that :func:`check_portable` lets pass."""
    scaler = None
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps]
        scaler, estimator = (steps[0] if len(steps) > 1 else None), steps[-1]
    body, link = PORTABLE[type(estimator)](estimator)
    center, scale = np.zeros(body.n_features), np.ones(body.n_features)
    if scaler is not None:
        center = center if scaler.mean_ is None or not scaler.with_mean else scaler.mean_
        scale = scale if scaler.scale_ is None else scaler.scale_
    return Carried(body, link, center, scale)


def _linear(estimator: Any) -> tuple[Layers, str]:
    weight = np.atleast_2d(np.asarray(estimator.coef_, np.float64)).T
    bias = np.broadcast_to(np.asarray(estimator.intercept_, np.float64), (weight.shape[1],))
    body = Layers([weight], [bias])
    if isinstance(estimator, RidgeClassifier):
        return body, "choice"
    if isinstance(estimator, LogisticRegression):
        return body, "sigmoid" if body.n_values == 1 else "softmax"
    return body, "identity"


def _network(estimator: Any) -> tuple[Layers, str]:
    body = Layers(estimator.coefs_, estimator.intercepts_, estimator.activation)
    link = {"logistic": "sigmoid", "softmax": "softmax", "identity": "identity"}
    return body, link[estimator.out_activation_]


def _forest(estimator: Any) -> tuple[Trees, str]:
    trees = getattr(estimator, "estimators_", None)
    members = [estimator] if trees is None else list(trees)
    blocks = [_tree_values(member) for member in members]
    start = np.zeros(blocks[0].shape[1])
    return _trees(members, blocks, start, len(members), estimator.n_features_in_), "identity"


def _boosting(estimator: Any) -> tuple[Trees, str]:
    members, blocks, n_values = [], [], estimator.estimators_.shape[1]
    for stage in estimator.estimators_:
        for k, member in enumerate(stage):
            # Each tree of a stage speaks of one value: it is 0 in the others.
            values = np.zeros((member.tree_.node_count, n_values))
            values[:, k] = estimator.learning_rate * member.tree_.value[:, 0, 0]
            members.append(member)
            blocks.append(values)
    n_features = estimator.n_features_in_
    classifies = isinstance(estimator, GradientBoostingClassifier)
    grown = _trees(members, blocks, np.zeros(n_values), 1, n_features)
    origin = np.zeros((1, n_features))
    raw = (estimator.decision_function if classifies else estimator.predict)(origin)
    start = np.asarray(raw, np.float64).reshape(-1) - grown.values(origin)[0]
    link = "identity" if not classifies else "sigmoid" if n_values == 1 else "softmax"
    return _trees(members, blocks, start, 1, n_features), link


def _tree_values(tree: Any) -> Array:
    """Return what the nodes of a tree say: shares of the classes, or values."""
    values = np.asarray(tree.tree_.value, np.float64)
    if not isinstance(tree, DecisionTreeClassifier):
        return values[:, :, 0]
    # Shares, never counts: how many rows came to a leaf is nobody's business.
    return np.asarray(values[:, 0, :] / values[:, 0, :].sum(axis=1, keepdims=True))


def _trees(
    members: list[Any], blocks: list[Array], start: Array, divisor: int, n_features: int
) -> Trees:
    sizes = [member.tree_.node_count for member in members]
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    below = np.repeat(roots, sizes)
    left, right, feature, threshold = (
        np.concatenate([getattr(member.tree_, name) for member in members])
        for name in ("children_left", "children_right", "feature", "threshold")
    )
    leaf = left < 0
    return Trees(
        roots=roots,
        left=np.where(leaf, -1, left + below).astype(np.int64),
        right=np.where(leaf, -1, right + below).astype(np.int64),
        feature=np.where(leaf, 0, feature).astype(np.int64),
        threshold=np.where(leaf, 0.0, threshold),
        value=np.where(leaf[:, None], np.concatenate(blocks), 0.0),
        start=start,
        divisor=divisor,
        n_features=int(n_features),
    )


PORTABLE: dict[type, Callable[[Any], tuple[Layers | Trees, str]]] = {
    LogisticRegression: _linear,
    RidgeClassifier: _linear,
    Ridge: _linear,
    LinearRegression: _linear,
    Lasso: _linear,
    ElasticNet: _linear,
    MLPClassifier: _network,
    MLPRegressor: _network,
    DecisionTreeClassifier: _forest,
    DecisionTreeRegressor: _forest,
    ExtraTreeClassifier: _forest,
    ExtraTreeRegressor: _forest,
    RandomForestClassifier: _forest,
    RandomForestRegressor: _forest,
    ExtraTreesClassifier: _forest,
    ExtraTreesRegressor: _forest,
    GradientBoostingClassifier: _boosting,
    GradientBoostingRegressor: _boosting,
}
"""The learners that can be carried, and how; subclasses may predict otherwise and are not."""
