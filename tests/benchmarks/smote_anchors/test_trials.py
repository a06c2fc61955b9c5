"""One trial: who is averaged, and which maps a row was measured with."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from benchmarks.smote_anchors.problems import artificial
from benchmarks.smote_anchors.trials import AFFINE, Setting, accuracy, collaborate, measure
from benchmarks.tables import Trials


def _problem():
    problem = artificial(1)
    return replace(problem, X_test=problem.X_test[:50], y_test=problem.y_test[:50])


def _setting(**changes):
    tree = DecisionTreeClassifier(max_leaf_nodes=6)
    return replace(Setting("T", "d", "s", Ridge(), tree, 3, 5, 200), **changes)


def test_scores_are_means_over_the_institutions():
    measured = Trials()
    measure(measured, _setting(), _problem(), {"DC(gaussian)": "gaussian"})
    local = measured.mean(("T", "d", "s", "Local", "ACC"))
    # Four parties judged on 50 rows.
    assert local * 200 == pytest.approx(round(local * 200))
    assert np.isnan(measured.mean(("T", "d", "s", "DC(rand)", "ACC")))


def test_a_row_is_measured_with_the_maps_its_name_says():
    measured, problem = Trials(), _problem()
    anchors = {"DC(rand)": "uniform", f"DC(rand){AFFINE}": "uniform"}
    measure(measured, _setting(local=False), problem, anchors)
    linear = collaborate(_setting(), problem, "uniform")
    affine = collaborate(_setting(), problem, "uniform", affine=True)
    assert all(not g.offset.any() for g in linear._federation.analyst.alignments.values())
    assert any(g.offset.any() for g in affine._federation.analyst.alignments.values())
    cell = ("T", "d", "s")
    assert measured.mean((*cell, "DC(rand)", "ACC")) == accuracy(problem, linear)
    assert measured.mean((*cell, f"DC(rand){AFFINE}", "ACC")) == accuracy(problem, affine)
    assert np.isnan(measured.mean((*cell, "Local", "ACC")))
