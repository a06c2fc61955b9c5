"""Public rows that somebody holds are left out, unless twins say nothing."""

import numpy as np

from benchmarks.smote_anchors.public_rows import publishable


def test_a_row_that_equals_a_private_one_in_any_column_group_is_left_out():
    X = np.arange(24.0).reshape(6, 4)
    X[0, 2:] = X[5, 2:]
    groups = [np.arange(2), np.arange(2, 4)]
    assert publishable(X, np.array([0, 1]), np.array([4, 5]), groups).tolist() == [1]


def test_where_private_rows_have_twins_public_ones_may_have_them_too():
    X = np.ones((4, 2))
    everybody = np.arange(2), np.arange(2, 4), [np.arange(2)]
    assert publishable(X, *everybody).tolist() == [0, 1]
    assert publishable(X, *everybody, common=1.0).tolist() == []
