"""Importance finds the feature that decides, whatever the model."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from consilience.collaboration.learning.importance import feature_importance

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4)) * [1.0, 1.0, 1.0, 1e-3]
Y = (X[:, 2] > 0).astype(int)


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(random_state=0),
        RandomForestClassifier(10, random_state=0),
        LogisticRegression(),
        Ridge(),
        KNeighborsClassifier(),
    ],
)
def test_the_deciding_feature_comes_first(model):
    shares = feature_importance(model.fit(X, Y), X)
    assert shares.argmax() == 2
    assert shares.sum() == pytest.approx(1)
    assert (shares >= 0).all()


def test_a_coefficient_is_weighed_by_the_spread_of_its_feature():
    model = Ridge().fit(X, Y)
    model.coef_ = np.array([0.0, 0.0, 1.0, 10.0])
    assert feature_importance(model, X).argmax() == 2


def test_a_model_that_uses_nothing_has_no_shares():
    model = DecisionTreeClassifier(max_depth=1).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert feature_importance(model, np.zeros((4, 2))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_boosted_trees_are_explained_by_shapley_values(n_classes):
    xgboost = pytest.importorskip("xgboost")
    y = np.digitize(X[:, 2], np.quantile(X[:, 2], np.arange(1, n_classes) / n_classes))
    model = xgboost.XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1).fit(X, y)
    shares = feature_importance(model, X)
    assert shares.shape == (4,)
    assert shares.argmax() == 2
