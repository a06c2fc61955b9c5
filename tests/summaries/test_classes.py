"""Classes from labelled centres: what the analyst hands out, and what a party learns."""

import numpy as np
import pytest

from consilience.exceptions import MessageError
from consilience.messages import Summary
from consilience.summaries.classes import ClassAnalyst, check_classes, learn_at_home
from consilience.summaries.units import Units

UNITS = Units(np.zeros(2), np.full(2, 10.0), np.full(2, 10.0))
PLACES = np.array([[1.0, 1.0], [9.0, 1.0], [5.0, 9.0]])


def summary(sender="a", centers=PLACES, classes=(0, 0, 1), **parts):
    head = {"study": "", "sender": sender, "recipient": "analyst", "weights": np.array([6.0, 5, 4])}
    codes = None if classes is None else np.array(classes)
    return Summary(**head, centers=centers, classes=codes, **parts)


def test_everybody_gets_the_centres_of_all_and_no_sender():
    analyst = ClassAnalyst(["a", "b"], UNITS, 2)
    assert analyst.receive(summary("a", errors=np.full(3, 3.0))) == []
    answers = analyst.receive(summary("b", PLACES[::-1] + 0.1, (1, 0, 0)))
    assert [a.recipient for a in answers] == ["a", "b"]
    assert len(answers[0].centers) == 6
    assert analyst.sizes.tolist() == [20, 10]
    np.testing.assert_allclose(analyst.errors, [np.sqrt(18), 3])
    other = ClassAnalyst(["a", "b"], UNITS, 2)
    other.receive(summary("b"))
    swapped = other.receive(summary("a", PLACES[::-1] + 0.1, (1, 0, 0)))
    np.testing.assert_array_equal(answers[0].centers, swapped[0].centers)


@pytest.mark.parametrize(
    ("message", "reason"),
    [(summary(classes=None), "without classes"), (summary(classes=(0, 1, 2)), "none of the 2")],
)
def test_centres_of_unknown_class_are_refused(message, reason):
    with pytest.raises(MessageError, match=reason):
        ClassAnalyst(["a"], UNITS, 2).receive(message)
    with pytest.raises(MessageError, match=reason):
        check_classes(message, 2)


def test_a_party_learns_at_home_and_its_rows_choose():
    rng = np.random.default_rng(0)
    inside = rng.normal(size=(40, 2)) * 0.5 + 5
    ring = rng.normal(size=(80, 2))
    ring = 5 + 4 * ring / np.linalg.norm(ring, axis=1, keepdims=True)
    centers, codes = np.vstack([inside, ring]), np.repeat([0, 1], [40, 80])
    head = {"study": "", "sender": "analyst", "recipient": "a"}
    answer = Summary(**head, centers=centers, weights=np.ones(120), classes=codes)
    model = learn_at_home(UNITS, answer, centers, codes)
    assert not model.by.startswith("logistic regression")
    assert model.right > 0.95
    blind = learn_at_home(UNITS, answer, centers[:0], codes[:0])
    assert (blind.by, blind.right) == ("logistic regression", None)


def test_a_single_class_is_always_said():
    answer = summary(classes=(1, 1, 1))
    model = learn_at_home(UNITS, answer, PLACES, np.array([1, 1, 1]))
    assert model.predict(PLACES).tolist() == [1, 1, 1]


def test_a_party_that_knows_better_than_the_centres_listens_to_its_own_rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, size=(400, 2))
    y = (X[:, 0] > 5).astype(np.int64)
    head = {"study": "", "sender": "analyst", "recipient": "a", "weights": np.full(2, 50.0)}
    wrong = Summary(**head, centers=np.array([[9.0, 5], [1, 5]]), classes=np.array([0, 1]))
    model = learn_at_home(UNITS, wrong, X, y)
    assert "your own rows" in model.by
    assert model.right > 0.95
    assert np.mean(model.predict(X) == y) > 0.95
