import numpy as np
import pytest

from consilience.privacy.audits.known_rows import rebuild_from_known_rows
from consilience.privacy.audits.scores import column_r2


def test_as_many_known_rows_as_columns_give_the_rest():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6))
    mean = X.mean(axis=0)
    F = np.linalg.svd(X - mean, full_matrices=False)[2].T[:, :5]
    sent = (X - mean) @ F
    rebuilt = rebuild_from_known_rows(X[:6], sent[:6], sent[6:])
    assert np.median(column_r2(X[6:], rebuilt)) > 0.9


def test_rows_known_under_the_wrong_name_give_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    shuffled = X[rng.permutation(200)]
    rebuilt = rebuild_from_known_rows(shuffled[:20], X[:20], X[20:])
    assert np.median(column_r2(X[20:], rebuilt)) <= 0


def test_one_known_row_is_refused():
    with pytest.raises(ValueError, match="must be >= 2"):
        rebuild_from_known_rows(np.ones((1, 2)), np.ones((1, 1)), np.ones((3, 1)))
