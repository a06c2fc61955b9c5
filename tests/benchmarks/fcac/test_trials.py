import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac.trials import IMPROVED, METHODS, Trial
from consilience.datasets import Dataset


@pytest.fixture
def dataset():
    y = np.arange(200) % 2
    X = np.random.default_rng(0).normal(size=(200, 3)) + 6 * y[:, None]
    return Dataset("phoneme", pd.DataFrame(X, columns=list("abc")), y, ("a", "b"))


@pytest.mark.parametrize("method", [*METHODS, IMPROVED])
def test_a_trial_repeats_itself_and_sees_two_clear_classes(dataset, method):
    scores = Trial(dataset, "iid", 3).score(method)
    assert scores == Trial(dataset, "iid", 3).score(method)
    assert scores["AMI"] > 0.2
    assert ("nodes sent" in scores) == method.startswith("FCAC")


def test_noise_is_part_of_the_trial(dataset):
    noisy = Trial(dataset, "iid", 3, epsilon=1.0)
    assert noisy.score("k-means")["ARI"] < Trial(dataset, "iid", 3).score("k-means")["ARI"]
    assert noisy.key != Trial(dataset, "iid", 3).key
