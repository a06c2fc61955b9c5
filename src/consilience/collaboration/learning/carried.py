"""Fitted models as plain arrays, evaluated with numpy alone: layers of numbers, or trees.

A party that receives a model need not trust, or even have, the library it was fitted with. Both
kinds check themselves when they are made, so that whatever was received ends after a bounded number
of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from consilience.exceptions import MessageError

__all__ = ["ACTIVATIONS", "LINKS", "Carried", "Layers", "Trees"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "identity": lambda values: values,
    "logistic": expit,
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, 0.0),
}


def _two_sided(values: Array) -> Array:
    return np.hstack([1.0 - values, values])


def _choose(values: Array) -> Array:
    if values.shape[1] == 1:
        return _two_sided((values > 0).astype(np.float64))
    return np.asarray(np.eye(values.shape[1])[values.argmax(axis=1)])


LINKS: Mapping[str, Callable[[Array], Array]] = {
    "identity": lambda values: values,
    "sigmoid": lambda values: _two_sided(expit(values)),
    "softmax": lambda values: np.asarray(softmax(values, axis=1)),
    "choice": _choose,
}
"""From raw values to outputs: as they are; one value to two probabilities; to probabilities; or 1
for the largest (of one value: whether it is positive) and 0 elsewhere."""


@dataclass(frozen=True, eq=False)
class Layers:
    """A network; without hidden layers, a linear model.

    Parameters
    ----------
    weights : sequence of ndarray of shape (n_in, n_out)
    biases : sequence of ndarray of shape (n_out,)
    activation : str
        Between layers, one of :data:`ACTIVATIONS`.
    """

    weights: Sequence[Array]
    biases: Sequence[Array]
    activation: str = "identity"

    def __post_init__(self) -> None:
        width = self.weights[0].shape[0] if self.weights and self.weights[0].ndim == 2 else 0
        _require(width > 0 and len(self.weights) == len(self.biases), "it has no layers")
        _require(self.activation in ACTIVATIONS, "its activation is unknown")
        for weight, bias in zip(self.weights, self.biases, strict=True):
            fits = weight.ndim == 2 and weight.shape[0] == width and weight.shape[1] > 0
            _require(fits and bias.shape == weight.shape[1:], "its layers do not fit each other")
            width = weight.shape[1]

    @property
    def n_features(self) -> int:
        """Columns of the rows it takes."""
        return int(self.weights[0].shape[0])

    @property
    def n_values(self) -> int:
        """Raw values it gives for each row."""
        return len(self.biases[-1])

    def values(self, X: Array) -> Array:
        """Return the raw values of rows."""
        activate = ACTIVATIONS[self.activation]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            X = activate(X @ weight + bias)
        return np.asarray(X @ self.weights[-1] + self.biases[-1])


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees, added up; their nodes stand one after the other in common arrays.

    Parameters
    ----------
    roots : ndarray of shape (n_trees,), int64
        The first node of each tree; its other nodes follow, up to the next root.
    left, right : ndarray of shape (n_nodes,), int64
        The node to go on with if the feature is <= the threshold, and if not. Every node comes
        after the one that leads to it, and only one does; -1 in both is a leaf.
    feature : ndarray of shape (n_nodes,), int64
    threshold : ndarray of shape (n_nodes,), float64
        Features are rounded to float32 before they are compared. Leaves have feature and
        threshold 0.
    value : ndarray of shape (n_nodes, n_values), float64
        What a leaf says; 0 in nodes that are none.
    start : ndarray of shape (n_values,), float64
        Added to the sum of the trees.
    divisor : int
        The sum is divided by this: the number of trees in a forest, 1 in boosting.
    n_features : int
    """

    roots: Indices
    left: Indices
    right: Indices
    feature: Indices
    threshold: Array
    value: Array
    start: Array
    divisor: int
    n_features: int

    def __post_init__(self) -> None:
        n = len(self.left)
        shapes = {a.shape for a in (self.left, self.right, self.feature, self.threshold)}
        _require(shapes == {(n,)} and self.value.ndim == 2, "its nodes are not complete")
        _require(len(self.value) == n and self.value.shape[1] > 0, "its nodes are not complete")
        _require(self.start.shape == self.value.shape[1:], "its trees have another start")
        counts = (self.divisor, self.n_features)
        _require(all(type(k) is int and k > 0 for k in counts), "its sizes are no sizes")
        rising = self.roots.ndim == 1 and len(self.roots) > 0 and (np.diff(self.roots) > 0).all()
        placed = rising and self.roots[0] == 0 and self.roots[-1] < n
        _require(bool(placed), "its roots are out of place")
        self._check_children(n)

    def _check_children(self, n: int) -> None:
        """See that the nodes form trees: no circle, no node reached twice or never."""
        inner = np.flatnonzero(self.left != -1)
        leaves = self.left == -1
        _require(bool(((self.right == -1) == leaves).all()), "a node has only one child")
        ends = np.append(self.roots[1:], n)
        end = np.repeat(ends, np.diff(np.append(self.roots, n)))[inner]
        for child in (self.left[inner], self.right[inner]):
            _require(bool(((child > inner) & (child < end)).all()), "a node leads out of its tree")
        children = np.concatenate([self.left[inner], self.right[inner]])
        reached = np.bincount(children, minlength=n)
        reached[self.roots] += 1
        _require(bool((reached == 1).all()), "a node is reached twice, or never")
        known = (self.feature >= 0) & (self.feature < self.n_features)
        _require(bool(known.all()), "a node asks for an unknown feature")

    @property
    def n_values(self) -> int:
        """Raw values they give for each row."""
        return len(self.start)

    def values(self, X: Array) -> Array:
        """Return the raw values of rows."""
        with np.errstate(over="ignore"):
            rounded = X.astype(np.float32)
        total = np.zeros((len(X), self.n_values))
        for root in self.roots:
            total += self.value[self._leaves(rounded, int(root))]
        return np.asarray(self.start + total / self.divisor)

    def _leaves(self, X: npt.NDArray[np.float32], root: int) -> Indices:
        """Return the leaf each row comes to."""
        node = np.full(len(X), root, dtype=np.int64)
        moving = np.flatnonzero(self.left[node] >= 0)
        while moving.size:
            here = node[moving]
            goes_left = X[moving, self.feature[here]] <= self.threshold[here]
            node[moving] = np.where(goes_left, self.left[here], self.right[here])
            moving = moving[self.left[node[moving]] >= 0]
        return node


@dataclass(frozen=True, eq=False)
class Carried:
    """A model as it is carried: standardise, evaluate, and turn raw values into outputs.

    Parameters
    ----------
    body : Layers or Trees
    link : str
        One of :data:`LINKS`.
    center, scale : ndarray of shape (n_features,)
        Rows are first shifted and divided by these.

    Examples
    --------
    >>> line = Layers([np.array([[2.0]])], [np.array([-1.0])])
    >>> Carried(line, "sigmoid", np.zeros(1), np.ones(1)).predict(np.array([[0.5]]))
    array([[0.5, 0.5]])
    """

    body: Layers | Trees
    link: str
    center: Array
    scale: Array

    def __post_init__(self) -> None:
        _require(self.link in LINKS, "its link is unknown")
        one = self.link != "sigmoid" or self.body.n_values == 1
        _require(one, "a sigmoid takes one value")
        for array in (self.center, self.scale):
            _require(array.shape == (self.body.n_features,), "its scaling has another width")
        _require(bool((self.scale != 0).all()), "its scaling divides by zero")

    @property
    def n_features(self) -> int:
        """Columns of the rows it takes."""
        return self.body.n_features

    @property
    def n_outputs(self) -> int:
        """Columns of what it returns."""
        two = self.link in ("sigmoid", "choice") and self.body.n_values == 1
        return 2 if two else self.body.n_values

    def predict(self, X: Array) -> Array:
        """Return outputs of shape (n_rows, n_outputs)."""
        return LINKS[self.link](self.body.values((X - self.center) / self.scale))


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise MessageError(f"the model that was received cannot be used: {otherwise}.")
