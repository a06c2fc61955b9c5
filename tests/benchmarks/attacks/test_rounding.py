from pathlib import Path

import numpy as np
import pytest

from benchmarks.attacks.rounding import Trial, read


@pytest.fixture(scope="module")
def trial():
    table = read("wine", Path())
    return Trial(table, 7, seed=0)


def test_what_is_not_rounded_is_decoded(trial):
    found = trial.attack(trial.sent[0], trial.anchors[0])
    assert found["rows exact"] > 0.95
    assert found["cells exact"] > 0.95 > found["cells by mode"]


def test_coarse_coordinates_hide_rows_and_keep_clusters(trial):
    sent, anchors, step = trial.rounded(4)
    assert trial.attack(sent[0], anchors[0])["rows exact"] == 0
    assert trial.agree(sent, anchors) > trial.agree(trial.sent, trial.anchors) - 0.05
    assert step == pytest.approx(np.median(trial.sent[0].std(axis=0)) / 16)


def test_every_coordinate_is_a_multiple_of_its_step(trial):
    sent, _, _ = trial.rounded(3)
    counts = sent[0] / (trial.sent[0].std(axis=0) / 8)
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)


def test_the_columns_of_a_variable_are_its_categories():
    table = read("patients", Path())
    assert table.groups == []
    assert len(table.variables) == table.X.shape[1] == 15
