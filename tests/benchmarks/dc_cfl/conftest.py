import numpy as np
import pandas as pd
import pytest

from benchmarks.dc_cfl.problems import Problem
from consilience.datasets import hold_out, split_rows


@pytest.fixture
def save(tmp_path):
    """Save clouds of rows, one a class, under the name of a set; return the folder."""

    def save(name, n_rows, n_classes, n_features, **more):
        rng = np.random.default_rng(0)
        y = np.arange(n_rows) % n_classes
        X = rng.normal(size=(n_classes, n_features))[y] * 2 + rng.normal(size=(n_rows, n_features))
        frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(n_features)])
        frame.assign(**more, label=y).to_csv(tmp_path / f"{name}.csv.gz", index=False)
        return tmp_path

    return save


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 4
    X = rng.normal(size=(4, 5))[y] * 2 + rng.normal(size=(600, 5))
    parties = split_rows(600, 8, "classes", y=y, random_state=0)
    test = hold_out(parties, random_state=0)
    return Problem(X[~test], y[~test], parties[~test], X[test], y[test], parties[test], 0)
