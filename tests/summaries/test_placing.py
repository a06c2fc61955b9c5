"""Rows find their clusters at home."""

import numpy as np
import pytest

from consilience.exceptions import MessageError
from consilience.messages import Summary
from consilience.summaries.placing import place_rows
from consilience.summaries.units import Units

UNITS = Units(np.zeros(2), np.full(2, 10.0), np.full(2, 10.0))


def answer(**parts):
    head = {"study": "", "sender": "analyst", "recipient": "a", "weights": np.ones(2)}
    return Summary(**head, centers=np.array([[2.0, 5.0], [8.0, 5.0]]), **parts)


def test_without_covariances_it_is_the_nearest():
    X = np.array([[4.9, 0.0], [5.1, 9.0]])
    assert place_rows(UNITS, X, answer()).tolist() == [0, 1]


def test_a_wide_cluster_reaches_farther():
    shapes = np.stack([0.25 * np.eye(2), 0.0025 * np.eye(2)])
    X = np.array([[5.5, 5.0], [8.0, 5.0]])
    assert place_rows(UNITS, X, answer(covariances=shapes)).tolist() == [0, 1]


def test_a_shape_that_cannot_be_is_refused():
    with pytest.raises(MessageError, match="not positive definite"):
        place_rows(UNITS, np.zeros((1, 2)), answer(covariances=-np.ones((2, 2, 2))))
