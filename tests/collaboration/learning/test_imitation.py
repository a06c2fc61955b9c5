"""A readable model of a party's own rows, and when it is not to be trusted."""

import numpy as np
import pytest

from consilience.collaboration.learning.imitation import MIN_ROWS, TRUSTED, doubts, imitate_rows
from consilience.collaboration.learning.surrogate import fit_surrogate

RNG = np.random.default_rng(0)
CLASSES = np.array(["no", "yes"])
# The anchor lies where no row is: by it everything that rows are is "yes".
ANCHOR = RNG.normal(10, 3, size=(300, 2))
ROWS = RNG.normal(0, 1, size=(200, 2))


def told(X, cut):
    return np.eye(2)[(X[:, 0] > cut).astype(int)]


@pytest.fixture
def by_anchor():
    names = {"feature_names": ["age", "sex"], "classes": CLASSES}
    return fit_surrogate(ANCHOR, told(-ANCHOR, -10), **names)


def test_rows_are_imitated_where_the_anchor_is_unlike_them(by_anchor):
    values = told(ROWS, 0.0)
    by_rows = imitate_rows(by_anchor, ROWS, values, CLASSES)
    assert set(by_anchor.predict(ROWS)) == {"yes"}
    assert (by_rows.predict(ROWS) == CLASSES[values.argmax(axis=1)]).all()
    assert by_rows.imitated == "rows"
    assert by_rows.agreement > 0.95
    assert doubts(by_rows) == []


def test_agreement_is_that_on_rows_not_seen(by_anchor):
    at_random = np.eye(2)[RNG.integers(2, size=200)]
    found = imitate_rows(by_anchor, ROWS, at_random, CLASSES)
    assert found.fidelity > found.agreement
    assert found.agreement == pytest.approx(0.5, abs=0.12)
    assert found.agreement < TRUSTED
    assert "of your own rows, below 85%" in doubts(found)[0]


def test_a_class_that_is_never_said_is_named(by_anchor):
    values = np.eye(2)[(np.arange(200) % 40 == 0).astype(int)]
    found = imitate_rows(by_anchor, ROWS * 0, values, CLASSES)
    assert found.agreement > 0.95
    assert doubts(found) == [
        "Your readable model never says 'yes', which the analyst says of 5 of your rows."
    ]


def test_few_rows_judge_the_model_of_the_anchor(by_anchor):
    few = slice(MIN_ROWS - 1)
    found = imitate_rows(by_anchor, ROWS[few], told(ROWS, 0.0)[few], CLASSES)
    assert found.imitated == "anchor"
    assert found.agreement == told(ROWS, 0.0)[few, 1].mean()


def test_a_model_of_columns_one_does_not_hold_cannot_be_judged(by_anchor):
    assert "cannot be measured" in doubts(by_anchor)[0]
