import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac.compared import COMPARED, compared_trial
from benchmarks.fcac.problem import find_problem


@pytest.fixture
def folder(tmp_path):
    y = np.arange(200) % 2
    X = np.random.default_rng(0).normal(size=(200, 3)) + 6 * y[:, None]
    frame = pd.DataFrame(X, columns=list("abc")).assign(label=y)
    frame.to_csv(tmp_path / "phoneme.csv.gz", index=False)
    return tmp_path


def score(folder, method, epsilon=None):
    cells = compared_trial("phoneme", folder, "iid", 3, epsilon, method)
    return {cell[-1]: value for cell, value in cells}


@pytest.mark.parametrize("method", COMPARED)
def test_a_trial_repeats_itself_and_sees_two_clear_classes(folder, method):
    scores = score(folder, method)
    assert scores == score(folder, method)
    assert scores["AMI"] > 0.2


def test_what_is_learnt_from_noisy_rows_is_scored_on_the_rows_themselves(folder):
    problem = find_problem("phoneme", folder, "iid", 3, 2.0)
    assert (problem.clean != problem.X).all()
    # Centres found under this noise still tell the classes apart; the noisy rows would not.
    assert score(folder, "k-means", epsilon=2.0)["ARI"] > 0.9
