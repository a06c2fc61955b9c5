"""Models as arrays: a tree and a network by hand, and what is no model."""

import numpy as np
import pytest

from consilience.collaboration.learning.carried import Carried, Layers, Trees
from consilience.exceptions import MessageError

# x0 <= 1 ? (x1 <= 5 ? 10 : 20) : 30, and a second tree of one leaf that adds 1.
TREES = {
    "roots": np.array([0, 5]),
    "left": np.array([1, 2, -1, -1, -1, -1]),
    "right": np.array([4, 3, -1, -1, -1, -1]),
    "feature": np.array([0, 1, 0, 0, 0, 0]),
    "threshold": np.array([1.0, 5.0, 0, 0, 0, 0]),
    "value": np.array([[0.0], [0], [10], [20], [30], [1]]),
    "start": np.array([100.0]),
    "divisor": 1,
    "n_features": 2,
}


def test_trees_by_hand():
    rows = np.array([[1.0, 5.0], [0.0, 6.0], [1.5, 0.0]])
    assert Trees(**TREES).values(rows).ravel().tolist() == [111.0, 121.0, 131.0]
    halved = Trees(**TREES | {"divisor": 2})
    assert halved.values(rows).ravel().tolist() == [105.5, 110.5, 115.5]
    assert Trees(**TREES).values(np.empty((0, 2))).shape == (0, 1)


def test_a_network_by_hand():
    body = Layers(
        [np.array([[1.0, -1.0]]), np.array([[1.0], [2.0]])],
        [np.array([0.0, 1.0]), np.array([0.5])],
        "relu",
    )
    assert body.values(np.array([[3.0], [-3.0]])).ravel().tolist() == [3.5, 8.5]
    standard = Carried(body, "choice", np.array([1.0]), np.array([2.0]))
    assert standard.predict(np.array([[7.0]])).tolist() == [[0.0, 1.0]]
    assert standard.n_outputs == 2


def test_the_largest_of_several_values_is_chosen():
    body = Layers([np.eye(3)], [np.zeros(3)])
    chosen = Carried(body, "choice", np.zeros(3), np.ones(3)).predict(np.array([[0.2, 0.9, 0.1]]))
    assert chosen.tolist() == [[0.0, 1.0, 0.0]]


BAD_TREES = {
    "a circle": ({"left": np.array([0, 2, -1, -1, -1, -1])}, "leads out of its tree"),
    "a way back": ({"right": np.array([4, 0, -1, -1, -1, -1])}, "leads out of its tree"),
    "into another tree": ({"right": np.array([5, 3, -1, -1, -1, -1])}, "leads out of its tree"),
    "a node twice": ({"right": np.array([3, 3, -1, -1, -1, -1])}, "reached twice, or never"),
    "half a leaf": ({"right": np.array([4, -1, -1, -1, -1, -1])}, "only one child"),
    "unknown feature": ({"n_features": 1}, "unknown feature"),
    "negative feature": ({"feature": np.array([-1, 1, 0, 0, 0, 0])}, "unknown feature"),
    "fewer thresholds": ({"threshold": np.zeros(5)}, "not complete"),
    "fewer values": ({"value": np.zeros((5, 1))}, "not complete"),
    "another start": ({"start": np.zeros(2)}, "another start"),
    "no root": ({"roots": np.array([], dtype=np.int64)}, "out of place"),
    "root beyond": ({"roots": np.array([0, 6])}, "out of place"),
    "roots fall": ({"roots": np.array([5, 0])}, "out of place"),
    "divisor 0": ({"divisor": 0}, "no sizes"),
    "divisor of text": ({"divisor": "1"}, "no sizes"),
}


@pytest.mark.parametrize(("change", "reason"), BAD_TREES.values(), ids=BAD_TREES)
def test_what_is_no_forest_is_refused(change, reason):
    with pytest.raises(MessageError, match=reason):
        Trees(**TREES | change)


def test_a_chain_as_deep_as_it_is_long_ends():
    n = 2001  # 1000 questions one below the other
    left, right = np.full(n, -1), np.full(n, -1)
    left[0:-1:2], right[0:-1:2] = np.arange(1, n, 2), np.arange(2, n, 2)
    feature, threshold = np.zeros(n, dtype=np.int64), np.where(left < 0, 0.0, -1.0)
    value = np.arange(n, dtype=float)[:, None]
    body = Trees(np.array([0]), left, right, feature, threshold, value, np.zeros(1), 1, 1)
    assert body.values(np.array([[0.0]])).item() == n - 1


@pytest.mark.parametrize(
    ("weights", "biases", "activation", "reason"),
    [
        ([], [], "relu", "no layers"),
        ([np.eye(2)], [], "relu", "no layers"),
        ([np.eye(2)], [np.zeros(3)], "relu", "do not fit"),
        ([np.eye(2), np.eye(3)], [np.zeros(2), np.zeros(3)], "relu", "do not fit"),
        ([np.eye(2)], [np.zeros(2)], "swish", "activation is unknown"),
    ],
)
def test_layers_that_do_not_fit_are_refused(weights, biases, activation, reason):
    with pytest.raises(MessageError, match=reason):
        Layers(weights, biases, activation)


@pytest.mark.parametrize(
    ("link", "center", "scale", "reason"),
    [
        ("probit", np.zeros(2), np.ones(2), "link is unknown"),
        ("sigmoid", np.zeros(2), np.ones(2), "takes one value"),
        ("softmax", np.zeros(1), np.ones(2), "another width"),
        ("softmax", np.zeros(2), np.array([1.0, 0.0]), "divides by zero"),
    ],
)
def test_a_link_or_scaling_that_does_not_fit_is_refused(link, center, scale, reason):
    with pytest.raises(MessageError, match=reason):
        Carried(Layers([np.eye(2)], [np.zeros(2)]), link, center, scale)
