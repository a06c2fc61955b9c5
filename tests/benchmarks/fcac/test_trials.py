import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac.trials import IMPROVED, METHODS, _load, trial


@pytest.fixture
def folder(tmp_path):
    y = np.arange(200) % 2
    X = np.random.default_rng(0).normal(size=(200, 3)) + 6 * y[:, None]
    frame = pd.DataFrame(X, columns=list("abc")).assign(label=y)
    frame.to_csv(tmp_path / "phoneme.csv.gz", index=False)
    return tmp_path


def score(folder, method, epsilon=None):
    return {cell[-1]: v for cell, v in trial("phoneme", folder, "iid", 3, epsilon, method)}


@pytest.mark.parametrize("method", [*METHODS, IMPROVED])
def test_a_trial_repeats_itself_and_sees_two_clear_classes(folder, method):
    scores = score(folder, method)
    assert scores == score(folder, method)
    assert scores["AMI"] > 0.2
    assert ("nodes sent" in scores) == method.startswith("FCAC")


def test_noise_is_part_of_the_trial_and_stays_out_of_the_table(folder):
    before = _load("phoneme", folder).X.copy()
    assert score(folder, "k-means", epsilon=1.0)["ARI"] < score(folder, "k-means")["ARI"]
    np.testing.assert_array_equal(_load("phoneme", folder).X, before)
