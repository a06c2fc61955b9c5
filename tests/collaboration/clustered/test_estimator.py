"""DC-CFL end to end: better than one model where label mixes differ, and what is refused."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

from consilience import ClusteredCollaborationClassifier, CollaborationClassifier


def _digits():
    """Share digits out so that half of the ten clinics see 0 to 4 and half see 5 to 9."""
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    clinics = rng.integers(5, size=len(y)) + 5 * (y >= 5)
    train = rng.random(len(y)) < 0.3
    return scale(X), y, clinics, train


def test_groups_follow_the_label_mix_and_help():
    X, y, clinics, train = _digits()
    settings = {"random_state": 0, "n_components": 20}
    learner = LogisticRegression(max_iter=3000)
    model = ClusteredCollaborationClassifier(learner, 0.6, **settings)
    model.fit(X[train], y[train], parties=clinics[train])
    assert [model.groups_[c] for c in range(10)] == [0] * 5 + [1] * 5
    assert model.distances_.shape == (10, 10)
    clustered = model.score(X[~train], y[~train], parties=clinics[~train])
    one = CollaborationClassifier(learner, **settings)
    one.fit(X[train], y[train], parties=clinics[train])
    assert clustered > one.score(X[~train], y[~train], parties=clinics[~train]) + 0.01


def test_the_gap_finds_the_same_groups_without_validation():
    X, y, clinics, train = _digits()
    model = ClusteredCollaborationClassifier(
        LogisticRegression(max_iter=3000), "gap", n_components=20, random_state=0
    )
    model.fit(X[train], y[train], parties=clinics[train])
    assert [model.groups_[c] for c in range(10)] == [0] * 5 + [1] * 5
    assert model.thresholds_ == {}


def test_a_newcomer_is_placed_by_its_labels():
    X, y, clinics, train = _digits()
    model = ClusteredCollaborationClassifier(LogisticRegression(max_iter=3000), 0.6, random_state=0)
    model.fit(X[train], y[train], parties=clinics[train])
    assert model.group_of([0, 1, 2, 3, 4]) == 0
    assert model.group_of([9, 9, 8]) == 1
    with pytest.raises(ValueError, match="a class that is not among the 10 classes"):
        model.group_of([11])


def test_a_party_of_one_class_gets_a_constant_model():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.r_[np.zeros(20), np.ones(20), (X[40:, 0] > 0)].astype(int)
    parties = np.repeat(["a", "b", "c"], 20)
    model = ClusteredCollaborationClassifier(LogisticRegression(), 0.2, random_state=0)
    model.fit(X, y, parties=parties)
    assert set(model.predict(X[:5], ["a"] * 5)) == {0}
    assert set(model.predict(X[:5], ["b"] * 5)) == {1}


def test_the_default_network_learns():
    X, y, clinics, train = _digits()
    model = ClusteredCollaborationClassifier(threshold=0.6, n_components=20, random_state=0)
    model.fit(X[train], y[train], parties=clinics[train])
    assert model.score(X[~train], y[~train], parties=clinics[~train]) > 0.85


@pytest.mark.parametrize("t", [-0.1, 1.5, "best"])
def test_a_bad_threshold_is_refused(t):
    with pytest.raises(ValueError, match=r"threshold == .*must be a number between 0 and 1"):
        ClusteredCollaborationClassifier(threshold=t).fit(np.eye(4), [0, 1, 0, 1])
