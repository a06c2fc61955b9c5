"""Rows in the representation that institutions share: for pipelines, and in any order."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from consilience import (
    ClusteredCollaborationClassifier,
    CollaborationClassifier,
    CollaborationClustering,
)
from consilience.collaboration.learning.regressor import CollaborationRegressor

X, Y = load_iris(return_X_y=True)
HOSPITALS = np.arange(150) % 3
SETTINGS = {"columns": [[0, 1], [2, 3]], "random_state": 0}


@pytest.mark.parametrize(
    "model",
    [
        CollaborationClustering(3, **SETTINGS),
        CollaborationClassifier(**SETTINGS),
        CollaborationRegressor(**SETTINGS),
    ],
    ids=lambda model: type(model).__name__,
)
def test_rows_of_all_institutions_have_coordinates_that_can_be_compared(model):
    Z = model.fit_transform(X, Y, parties=HOSPITALS)
    assert Z.shape == (150, len(model.get_feature_names_out()))
    order = np.random.default_rng(0).permutation(150)[:40]
    again = model.transform(X[order], parties=HOSPITALS[order])
    assert np.allclose(again, Z[order])
    # A model of rows of two institutions holds for those of the third.
    learnt = LogisticRegression(max_iter=1000).fit(Z[HOSPITALS < 2], Y[HOSPITALS < 2])
    assert learnt.score(Z[HOSPITALS == 2], Y[HOSPITALS == 2]) > 0.9


def test_what_is_predicted_is_told_by_the_coordinates():
    model = CollaborationClustering(3, **SETTINGS).fit(X, parties=HOSPITALS)
    Z = model.transform(X, parties=HOSPITALS)
    nearest = ((Z[:, None] - model.cluster_centers_) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == model.predict(X, parties=HOSPITALS)).all()


def test_names_come_with_pandas_output():
    model = CollaborationClustering(3, **SETTINGS).set_output(transform="pandas")
    named = model.fit(X, parties=HOSPITALS).transform(X[:5], HOSPITALS[:5])
    assert list(named.columns) == [f"collaborationclustering{k}" for k in range(named.shape[1])]


def test_groups_with_models_of_their_own_have_no_common_coordinates():
    assert not hasattr(ClusteredCollaborationClassifier(), "transform")
    assert not hasattr(ClusteredCollaborationClassifier(), "fit_transform")


def test_strangers_and_rows_of_nobody_are_refused():
    model = CollaborationClustering(3, **SETTINGS).fit(X, parties=HOSPITALS)
    with pytest.raises(ValueError, match="parties is None"):
        model.transform(X)
    with pytest.raises(ValueError, match=r"parties names \[7\]"):
        model.transform(X, parties=np.full(150, 7))
