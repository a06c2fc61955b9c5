"""One face for classifiers, regressors and constants."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.svm import LinearSVC

from consilience.collaboration.learning.model import fit_model

X = np.array([[0.0], [1.0], [2.0], [3.0]])


def test_ridge_on_the_binary_matrix_is_the_default():
    Y = np.eye(2)[[0, 0, 1, 1]]
    values = fit_model(None, X, Y, "classification", 0).predict(X)
    assert np.allclose(values, Ridge().fit(X, Y).predict(X))


def test_a_class_nobody_has_gets_no_score():
    Y = np.eye(3)[[0, 0, 2, 2]]
    values = fit_model(LogisticRegression(), X, Y, "classification", 0).predict(X)
    assert (values[:, 1] == 0).all()
    assert values.argmax(axis=1).tolist() == [0, 0, 2, 2]
    assert np.allclose(values.sum(axis=1), 1)


def test_a_classifier_without_probabilities_answers_its_class():
    Y = np.eye(3)[[0, 0, 2, 2]]
    values = fit_model(LinearSVC(), X, Y, "classification", 0).predict(X)
    assert set(values.ravel()) == {0.0, 1.0}


def test_one_class_is_a_constant_and_no_crash():
    model = fit_model(LogisticRegression(), X, np.eye(2)[[1, 1, 1, 1]], "classification", 0)
    assert model.estimator is None
    assert model.predict(X[:2]).tolist() == [[0, 1], [0, 1]]


def test_values_are_learnt_by_regressors_only():
    model = fit_model(LinearRegression(), X, 2 * X, "regression", 0)
    assert np.allclose(model.predict(X), 2 * X)
    with pytest.raises(ValueError, match="is a classifier, but the targets are values"):
        fit_model(LogisticRegression(), X, X, "regression", 0)


def test_the_users_estimator_is_not_fitted_itself():
    mine = LogisticRegression()
    fit_model(mine, X, np.eye(2)[[0, 0, 1, 1]], "classification", 0)
    assert not hasattr(mine, "coef_")
