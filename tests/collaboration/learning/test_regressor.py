"""Values instead of classes."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from consilience import CollaborationRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
Y = X @ [1.0, -2.0, 0.5, 0.0, 3.0] + 7
PARTIES = np.arange(120) % 4


def test_without_reduction_it_is_the_pooled_regression():
    model = CollaborationRegressor(
        LinearRegression(), n_components=5, rounding=None, random_state=0
    )
    model.fit(X, Y, parties=PARTIES)
    assert np.allclose(model.predict(X, PARTIES), Y)
    assert model.score(X, Y, parties=PARTIES) == pytest.approx(1)


def test_a_classifier_is_refused():
    with pytest.raises(ValueError, match="is a classifier, but the targets are values"):
        CollaborationRegressor(LogisticRegression()).fit(X, Y, parties=PARTIES)
