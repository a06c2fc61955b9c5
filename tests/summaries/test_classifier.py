"""The estimator of classes: the real roles over one table."""

import numpy as np
import pytest

from consilience import SummaryClassifier


def make_rows(n=6000):
    rng = np.random.default_rng(0)
    kinds = np.arange(n) % 3
    return np.array([[-2, 0], [2, 0], [0, 3]])[kinds] + rng.normal(size=(n, 2)) / 3, kinds


def test_classes_are_learnt_with_noise():
    pytest.importorskip("opendp")
    X, kinds = make_rows()
    parties = np.arange(len(X)) // 3000
    model = SummaryClassifier(epsilon=2.0, random_state=0).fit(X, kinds, parties=parties)
    assert np.mean(model.predict(X, parties=parties) == kinds) > 0.95
    assert model.n_centers_ < 1000


def test_a_class_an_institution_lacks_is_learnt_from_the_others():
    X, kinds = make_rows()
    names = np.array(["no", "maybe", "yes"])[kinds]
    parties = np.where(kinds == 2, "b", np.where(np.arange(len(X)) % 2, "a", "b"))
    model = SummaryClassifier(epsilon=None, min_rows=10).fit(X, names, parties=parties)
    assert np.mean(model.predict(X, parties=np.full(len(X), "a")) == names) > 0.95


def test_an_institution_nobody_knows_is_refused():
    X, kinds = make_rows(60)
    model = SummaryClassifier(epsilon=None).fit(X, kinds)
    with pytest.raises(ValueError, match="must be among"):
        model.predict(X, parties=["z"] * 60)
