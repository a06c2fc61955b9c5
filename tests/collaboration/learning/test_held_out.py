"""Rows are told by models that have not seen them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from consilience.collaboration.learning.held_out import HeldOut, learn_sharpness, predict_held_out

RNG = np.random.default_rng(0)


def test_no_row_is_told_by_a_model_that_saw_it():
    # One nearest neighbour repeats the class of a row it has seen; of noise it knows nothing else.
    Z, codes = RNG.normal(size=(400, 3)), RNG.integers(2, size=400)
    told = predict_held_out(KNeighborsClassifier(1), Z, np.eye(2)[codes])
    assert (told == codes).mean() == pytest.approx(0.5, abs=0.1)


def test_it_gives_the_same_twice_and_leaves_the_classes_alone():
    Z, codes = RNG.normal(size=(30, 2)), RNG.integers(3, size=30)
    Y = np.eye(3)[codes]
    first, second = (predict_held_out(None, Z, Y, seed=4) for _ in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(Y.argmax(axis=1), codes)


def test_a_model_that_means_what_it_says_is_left_as_it_is():
    Z = RNG.normal(size=(4000, 1))
    codes = (RNG.random(4000) < 1 / (1 + np.exp(-3 * Z[:, 0]))).astype(int)
    nobody = np.zeros(4000, dtype=int)
    found = learn_sharpness(LogisticRegression(), Z, np.eye(2)[codes], nobody)
    assert found == pytest.approx(1.0, abs=0.2)
    assert learn_sharpness(LogisticRegression(), Z[:4], np.eye(2)[codes[:4]], nobody[:4]) == 1.0


def test_few_rows_have_fewer_folds():
    Y = np.eye(2)[[0, 1, 1]]
    assert len(predict_held_out(None, np.array([[0.0], [1.0], [1.1]]), Y)) == 3
    assert predict_held_out(None, np.zeros((1, 1)), Y[:1]).tolist() == [0]


def test_confusion_counts_every_row_once():
    held = HeldOut(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2]))
    assert held.confusion(3).tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
