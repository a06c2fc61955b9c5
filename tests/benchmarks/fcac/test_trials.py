import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac.trials import FCAC, IMPROVED, trial


@pytest.fixture
def folder(tmp_path):
    y = np.arange(200) % 2
    X = np.random.default_rng(0).normal(size=(200, 3)) + 6 * y[:, None]
    frame = pd.DataFrame(X, columns=list("abc")).assign(label=y)
    frame.to_csv(tmp_path / "phoneme.csv.gz", index=False)
    return tmp_path


@pytest.mark.parametrize("method", [FCAC, IMPROVED])
def test_a_trial_repeats_itself_and_says_what_was_sent(folder, method):
    one, two = (dict(trial("phoneme", folder, "iid", 3, None, method)) for _ in range(2))
    assert one == two
    scores = {cell[-1]: value for cell, value in one.items()}
    assert scores["AMI"] > 0.2
    assert scores["nodes sent"] > 0
