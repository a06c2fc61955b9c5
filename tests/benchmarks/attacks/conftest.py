import numpy as np
import pytest

from benchmarks.attacks.studies import Study
from consilience.privacy.audits.columns import count_columns


@pytest.fixture
def make_study():
    """Make a study of normal rows in two classes that lie ``apart``."""

    def make(n_rows=150, n_features=5, apart=2.0, mixed=True):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, size=n_rows).astype(np.int64)
        X = rng.normal(size=(n_rows, n_features))
        if mixed:
            X = X @ rng.normal(size=(n_features, n_features))
        X = apart * y[:, None] + X
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        return Study("small", X, y, count_columns(X), "standardised")

    return make
