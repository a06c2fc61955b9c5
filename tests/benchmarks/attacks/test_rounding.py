from pathlib import Path

import numpy as np
import pytest

from benchmarks.attacks.rounding import CHOSEN_ON, REPORTED_ON, Trial, read


@pytest.fixture(scope="module")
def trial():
    table = read("wine", Path())
    return Trial(table, 7, seed=0)


def test_what_is_not_rounded_is_decoded(trial):
    first = trial.contribute(None)[0]
    found = trial.attack(first)
    assert found["rows exact"] > 0.95
    assert found["exact by known rows"] > 0.9
    assert found["cells exact"] > 0.95 > found["cells by mode"]


def test_coarse_coordinates_hide_rows_and_keep_clusters(trial):
    sent = trial.contribute("auto")
    found = trial.attack(sent[0])
    assert found["rows exact"] == 0
    # Whoever knows some of the rows learns the map more exactly than its steps: a few are found.
    assert found["exact by known rows"] < 0.2
    assert trial.agree(sent) > trial.agree(trial.contribute(None)) - 0.05


def test_a_trial_differs_by_its_rounding_alone(trial):
    exact, coarse = trial.contribute(None)[0], trial.contribute(1 / 8)[0]
    assert (np.abs(coarse.rows - exact.rows) <= coarse.steps / 2).all()


def test_no_set_is_reported_that_was_chosen_on():
    assert not set(CHOSEN_ON) & set(REPORTED_ON)
    assert min(len(CHOSEN_ON), len(REPORTED_ON)) >= 8


def test_the_columns_of_a_variable_are_its_categories():
    table = read("patients", Path())
    assert table.groups == []
    assert len(table.variables) == table.X.shape[1] == 15
