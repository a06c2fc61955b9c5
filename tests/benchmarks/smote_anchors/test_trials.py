"""One trial: who is averaged, and which maps a row was measured with."""

from dataclasses import replace

import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from benchmarks.smote_anchors.problems import artificial
from benchmarks.smote_anchors.trials import (
    AFFINE,
    Setting,
    accuracy,
    collaborate,
    measure,
    table_1,
)

CELL = ("T", "d", "s")
SETTING = Setting(Ridge(), DecisionTreeClassifier(max_leaf_nodes=6), 3, 5, 200)


@pytest.fixture
def problem():
    problem = artificial(1)
    return replace(problem, X_test=problem.X_test[:50], y_test=problem.y_test[:50])


def test_scores_are_means_over_the_institutions(problem):
    found = dict(measure(CELL, SETTING, problem, {"DC(gaussian)": "gaussian"}))
    local = found[*CELL, "Local", "ACC"]
    # Four parties judged on 50 rows.
    assert local * 200 == pytest.approx(round(local * 200))


def test_a_row_is_measured_with_the_maps_its_name_says(problem):
    anchors = {"DC(rand)": "uniform", f"DC(rand){AFFINE}": "uniform"}
    found = dict(measure(CELL, replace(SETTING, local=False), problem, anchors))
    linear, affine = (collaborate(SETTING, problem, "uniform", affine=a) for a in (False, True))
    assert all(not g.offset.any() for g in linear._federation.analyst.alignments.values())
    assert any(g.offset.any() for g in affine._federation.analyst.alignments.values())
    assert found[*CELL, "DC(rand)", "ACC"] == accuracy(problem, linear)
    assert found[*CELL, f"DC(rand){AFFINE}", "ACC"] == accuracy(problem, affine)
    assert (*CELL, "Local", "ACC") not in found


def test_one_trial_of_the_artificial_set_keeps_the_order_of_the_paper():
    found = {cell[3:]: value for cell, value in table_1(0)}
    assert found["DC(SMOTE)", "ACC"] > found["Local", "ACC"] + 0.1
    assert found["DC(SMOTE)", "Dice3"] == 1.0
    assert found["DC(raw)", "AMD(raw)"] < 1e-6 < found["DC(SMOTE)", "AMD(raw)"]
