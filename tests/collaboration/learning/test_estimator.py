"""What the estimators that learn share: who sends labels, and who explains in which features."""

import numpy as np
import pandas as pd
import pytest

from consilience import (
    CollaborationClassifier,
    CollaborationRegressor,
    InterpretableCollaboration,
)
from consilience.messages import LabelledContribution

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 4)), columns=["age", "dose", "sleep", "steps"])
Y = np.where(X["age"] > 0, "ill", "well")
COLUMNS = [["age", "steps"], ["dose", "sleep"]]


def parties_of(model):
    return model._federation.parties


def test_the_first_column_group_alone_sends_the_classes():
    model = CollaborationClassifier(columns=COLUMNS, random_state=0).fit(X, Y)
    rows = X.to_numpy()[:5, :2]
    kinds = {
        name: type(party.begin(rows, y=Y[:5])[0]) is LabelledContribution
        for name, party in parties_of(model).items()
    }
    assert kinds == {"0/0": True, "0/1": False}


@pytest.mark.parametrize(
    ("scope", "names"),
    [("column", [["age", "steps"], ["dose", "sleep"]]), ("all", [list(X)])],
)
def test_readable_models_speak_of_the_features_their_parties_know(scope, names):
    model = InterpretableCollaboration(anchor_scope=scope, columns=COLUMNS, random_state=0)
    model.fit(X, Y)
    assert [s.feature_names for s in model.surrogates_.values()] == names


def test_nobody_gets_predictions_for_the_anchor_unasked():
    model = CollaborationClassifier(random_state=0).fit(X, Y)
    assert {party.anchor_prediction for party in parties_of(model).values()} == {None}


def test_a_regressor_has_no_classes_and_predicts_values():
    model = CollaborationRegressor(n_components=4, random_state=0).fit(X, X["age"])
    assert not hasattr(model, "classes_")
    assert np.corrcoef(model.predict(X), X["age"])[0, 1] > 0.99
