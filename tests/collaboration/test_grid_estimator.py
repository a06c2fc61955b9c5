"""What the estimators share: one grid and one anchor from the same parameters."""

import numpy as np
import pytest

from consilience import CollaborationClassifier, CollaborationClustering
from consilience.collaboration.grid_estimator import GridEstimator

X = np.random.default_rng(0).normal(size=(40, 4))
Y = (X[:, 0] > 0).astype(int)
PARTIES = np.arange(40) % 2
COLUMNS = [[0, 3], [1, 2]]


def test_estimators_with_the_same_parameters_deal_the_same_parts_and_anchor():
    shared = {"columns": COLUMNS, "n_anchor": 30, "target": "scaled", "random_state": 5}
    clusters = CollaborationClustering(2, **shared).fit(X, parties=PARTIES)
    classes = CollaborationClassifier(**shared).fit(X, Y, parties=PARTIES)
    np.testing.assert_array_equal(clusters.anchor_, classes.anchor_)
    assert clusters.anchor_.shape == (30, 4)
    assert clusters.parties_ == classes.parties_ == [0, 1]
    np.testing.assert_allclose(
        clusters._federation.analyst.representation, classes._federation.analyst.representation
    )


def test_parameters_are_kept_as_they_were_given():
    model = CollaborationClustering(3, columns=COLUMNS, bounds=(X[0], X[1]))
    assert model.columns is COLUMNS
    assert model.get_params()["n_clusters"] == 3
    assert set(vars(model)) == set(model.get_params())


def test_the_number_of_anchor_rows_is_a_number_of_rows():
    with pytest.raises(ValueError, match="n_anchor == 0"):
        CollaborationClustering(2, n_anchor=0).fit(X)
    with pytest.raises(TypeError, match="n_anchor must be an instance of"):
        CollaborationClassifier(n_anchor=1.5).fit(X, Y)


def test_what_drives_no_roles_is_no_estimator():
    with pytest.raises(TypeError, match="abstract"):
        GridEstimator()
