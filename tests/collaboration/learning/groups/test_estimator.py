"""DC-CFL end to end: better than one model where label mixes differ, and what is refused."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, Ridge
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


def test_counts_alone_find_the_groups_the_labels_would():
    X, y, clinics, train = _digits()
    settings = {"random_state": 0, "n_components": 20}
    learner = Ridge()
    rows = ClusteredCollaborationClassifier(learner, 0.6, **settings)
    rows.fit(X[train], y[train], parties=clinics[train])
    counts = ClusteredCollaborationClassifier(learner, 0.6, labels="distribution", **settings)
    counts.fit(X[train], y[train], parties=clinics[train])
    assert counts.groups_ == rows.groups_
    assert np.allclose(counts.distances_, rows.distances_)
    assert np.array_equal(counts.counts_, rows.counts_)
    assert counts.threshold_ == 0.6
    asked = X[~train][:200], clinics[~train][:200]
    assert np.array_equal(counts.predict(*asked), rows.predict(*asked))


def test_noisy_counts_are_not_the_counts():
    pytest.importorskip("opendp")
    X, y, clinics, train = _digits()
    model = ClusteredCollaborationClassifier(
        Ridge(), 0.9, labels="distribution", epsilon=0.1, n_components=4
    )
    model.fit(X[train], y[train], parties=clinics[train])
    counts = np.stack([np.bincount(y[train & (clinics == c)], minlength=10) for c in range(10)])
    # Scale 20 on 100 counts: all equal with probability below 1e-100.
    assert not np.array_equal(model.counts_, counts)
    assert (model.counts_ >= 0).all()
    assert (model.counts_.sum(axis=1) > 0).all()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"labels": "mean"}, "labels == 'mean', must be 'rows' or 'distribution'"),
        ({"labels": "distribution"}, "'auto' cannot be had with labels == 'distribution'"),
        ({"epsilon": 1.0}, "labels == 'rows' sends the class of every row"),
        ({"labels": "distribution", "threshold": 0.5, "epsilon": 0.0}, "must be finite and > 0"),
        ({"labels": "distribution", "threshold": 0.5, "epsilon": -1.0}, "must be finite and > 0"),
        ({"labels": "distribution", "threshold": 0.5, "epsilon": np.inf}, "must be finite and > 0"),
    ],
)
def test_what_cannot_be_grouped_by_is_refused(settings, reason):
    with pytest.raises(ValueError, match=reason):
        ClusteredCollaborationClassifier(**settings).fit(np.eye(4), [0, 1, 0, 1])


def test_rows_of_another_width_are_refused():
    X, y, clinics, train = _digits()
    model = ClusteredCollaborationClassifier(Ridge(), 0.6, n_components=4, random_state=0)
    model.fit(X[train], y[train], parties=clinics[train])
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 64"):
        model.predict(X[:3, :5], clinics[:3])
    with pytest.raises(ValueError, match=r"parties names \['east'\], but the model was fitted"):
        model.predict(X[:3], ["east"] * 3)


def test_a_class_nobody_sent_is_refused_where_it_is_asked_about():
    X, y, clinics, train = _digits()
    model = ClusteredCollaborationClassifier(Ridge(), 0.6, n_components=4, random_state=0)
    known = train & (y != 7)
    model.fit(X[known], y[known], parties=clinics[known])
    assert 7 not in model.predict(X, clinics)
    with pytest.raises(ValueError, match="1 rows have a class that is not among the 9 classes"):
        model.group_of([7, 8])
    with pytest.raises(ValueError, match="has no row of any of the 9 classes"):
        model.group_of(np.array([None, None], dtype=object))


def test_a_group_without_a_class_of_its_own_never_predicts_it():
    X, y, clinics, train = _digits()
    model = ClusteredCollaborationClassifier(Ridge(), 0.6, n_components=20, random_state=0)
    model.fit(X[train], y[train], parties=clinics[train])
    low = clinics < 5
    assert set(model.predict(X[low], clinics[low])) <= {0, 1, 2, 3, 4}
