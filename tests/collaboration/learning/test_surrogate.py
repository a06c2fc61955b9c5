"""The readable model: its rules by hand, its names, its limits."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from consilience.collaboration.learning.surrogate import fit_surrogate

CLASSES = np.array(["ill", "well"])
A = np.column_stack([np.linspace(0, 1, 40), np.tile([0.0, 1.0], 20)])
TOLD = np.eye(2)[(A[:, 0] > 0.5).astype(int)]
NAMES = ["age", "sex"]


def test_the_rule_is_written_in_the_names_of_the_party():
    surrogate = fit_surrogate(A, TOLD, feature_names=NAMES, classes=CLASSES)
    text = surrogate.export_text()
    assert "age <= 0.50" in text
    assert "class: ill" in text
    assert "sex" not in text
    assert surrogate.fidelity == 1.0
    assert surrogate.top_features(2) == ["age", "sex"]
    assert surrogate.predict(np.array([[0.9, 0.0], [0.1, 1.0]])).tolist() == ["well", "ill"]


def test_the_default_tree_has_at_most_five_splits():
    rng = np.random.default_rng(0)
    noise = np.eye(2)[rng.integers(2, size=200)]
    surrogate = fit_surrogate(
        rng.normal(size=(200, 3)), noise, feature_names=list("abc"), classes=CLASSES
    )
    assert surrogate.model.get_n_leaves() == 6
    assert surrogate.fidelity < 1.0


def test_one_class_for_the_whole_anchor_is_said_and_no_crash():
    surrogate = fit_surrogate(A, np.eye(2)[[1] * 40], feature_names=NAMES, classes=CLASSES)
    assert surrogate.export_text() == "always well\n"
    assert surrogate.predict(A[:2]).tolist() == ["well", "well"]
    assert surrogate.importances.tolist() == [0.0, 0.0]


def test_a_class_the_anchor_never_met_does_not_shift_the_names():
    told = np.eye(3)[np.where(A[:, 0] > 0.5, 2, 0)]
    classes = np.array(["a", "b", "c"])
    text = fit_surrogate(A, told, feature_names=NAMES, classes=classes).export_text()
    assert "class: c" in text
    assert "class: b" not in text


def test_another_readable_model_is_written_by_importance():
    surrogate = fit_surrogate(
        A, TOLD, readable=LogisticRegression(), feature_names=NAMES, classes=CLASSES
    )
    assert surrogate.export_text().splitlines()[1].startswith("age  ")


def test_values_are_explained_by_a_regression_tree():
    surrogate = fit_surrogate(A, (A[:, :1] > 0.5) * 7.0, feature_names=NAMES)
    assert surrogate.fidelity == pytest.approx(1.0)
    assert "value: [7.00]" in surrogate.export_text()
