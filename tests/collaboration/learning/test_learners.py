"""Every learner that can be carried says the same when carried; others are refused by name."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression, RidgeClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from consilience.collaboration.learning.learners import PORTABLE, carry, check_portable
from consilience.collaboration.learning.model import fit_model
from consilience.collaboration.learning.portable import freeze, thaw

SMALL = {"max_iter": 30, "n_estimators": 4, "hidden_layer_sizes": (5, 3), "alpha": 0.01}


def _make(kind, seed=0):
    known = kind().get_params()
    given = {name: value for name, value in SMALL.items() if name in known}
    if "random_state" in known:
        given["random_state"] = seed
    return kind(**given)


@pytest.mark.parametrize("kind", PORTABLE, ids=lambda kind: kind.__name__)
@settings(max_examples=4, deadline=None)
@given(
    n_classes=st.integers(2, 4),
    n_features=st.integers(1, 5),
    scaled=st.booleans(),
    seed=st.integers(0, 2**31 - 1),
)
def test_a_carried_model_says_what_the_model_says(kind, n_classes, n_features, scaled, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n_features)) * 10.0 ** rng.uniform(-3, 3, n_features)
    codes = np.r_[np.arange(n_classes), rng.integers(n_classes, size=60 - n_classes)]
    # One class of the study is never seen: the columns of the answer are those of the study.
    Y = np.eye(n_classes + 1)[codes]
    learner = _make(kind, seed % 1000)
    task = "classification"
    if kind is GradientBoostingRegressor:
        task, Y = "regression", rng.normal(size=(60, 1))
    learner = make_pipeline(StandardScaler(), learner) if scaled else learner
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        model = fit_model(learner, X, Y, task, 0)
        if not np.isfinite(model.predict(X)).all():
            return  # a network that ran away on unscaled rows has nothing to carry
    new = np.vstack([X, rng.normal(size=(40, n_features)) * X.std(axis=0)])
    carried = thaw(freeze(model, X))
    told, expected = carried.predict(new), model.predict(new)
    assert told.shape == expected.shape
    assert np.allclose(told, expected, rtol=1e-9, atol=1e-9)
    assert carried.estimator.n_features == n_features


@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
def test_every_activation_is_known(activation):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(2, size=50)
    network = MLPClassifier((4,), activation=activation, solver="lbfgs", max_iter=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        network.set_params(random_state=0).fit(X, y)
    assert np.allclose(carry(network).predict(X), network.predict_proba(X))


def test_forests_are_carried_to_the_last_bit_so_that_ties_fall_the_same_way():
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(80, 3)).astype(float), rng.integers(2, size=80)
    for kind in (RandomForestClassifier, ExtraTreesClassifier):
        forest = kind(n_estimators=10, max_depth=2, random_state=0).fit(X, y)
        assert np.array_equal(carry(forest).predict(X), forest.predict_proba(X))


def test_thresholds_between_float32_numbers_cut_as_the_tree_does():
    X = np.array([[1.0], [np.nextafter(np.float32(1.0), np.float32(2.0))]], dtype=np.float64)
    tree = DecisionTreeClassifier().fit(X, [0, 1])
    near = np.linspace(X[0], X[1], 21)
    assert np.array_equal(carry(tree).predict(near), tree.predict_proba(near))


def test_counts_of_rows_in_a_leaf_are_not_carried():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(3, size=200)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    body = carry(tree).body
    leaves = body.left < 0
    assert np.allclose(body.value[leaves].sum(axis=1), 1)
    assert not body.value[~leaves].any()


def test_several_outputs_and_no_intercept():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    for learner in (
        Lasso(0.01, fit_intercept=False),
        RandomForestRegressor(3, random_state=0),
        MLPRegressor(hidden_layer_sizes=(3,), solver="lbfgs", max_iter=2000, random_state=0),
    ):
        model = fit_model(learner, X, Y, "regression", 0)
        assert np.allclose(thaw(freeze(model, X)).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (HistGradientBoostingClassifier(), "HistGradientBoostingClassifier is not among"),
        (SVC(), "SVC is not among"),
        (make_pipeline(MinMaxScaler(), LogisticRegression()), "with one StandardScaler"),
        (make_pipeline(StandardScaler(), SVC()), "SVC is not among"),
        (GradientBoostingClassifier(init=DecisionTreeClassifier()), "is another learner"),
        (GradientBoostingClassifier(loss="exponential"), "has another link"),
        (type("Mine", (RidgeClassifier,), {})(), "Mine is not among"),
    ],
)
def test_a_learner_that_cannot_be_carried_is_refused_with_those_that_can(learner, reason):
    with pytest.raises(ValueError, match=reason) as refusal:
        check_portable(learner)
    assert "LogisticRegression, RidgeClassifier, Ridge" in str(refusal.value)


def test_a_setting_nobody_thought_of_is_caught_by_the_proof(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 2)), np.eye(2)[rng.integers(2, size=30)]
    model = fit_model(LogisticRegression(), X, Y, "classification", 0)
    monkeypatch.setattr(model.estimator, "predict_proba", lambda X: np.full((len(X), 2), 0.5))
    with pytest.raises(ValueError, match="does not predict the same when carried"):
        freeze(model, X)
