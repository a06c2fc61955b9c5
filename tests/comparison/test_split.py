import numpy as np
import pandas as pd
import pytest

from consilience.comparison.split import deal

X = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize(
    ("parties", "columns", "split_by"),
    [
        (None, None, "none"),
        (list("aabbab"), None, "rows"),
        (None, [[1], [0]], "columns"),
        (list("aabbab"), [[1], [0]], "both"),
    ],
)
def test_a_split_knows_what_it_splits(parties, columns, split_by):
    assert deal(X, parties, columns, 2, 0).split_by == split_by


def test_columns_count_in_their_own_spreads_and_may_be_named():
    table = pd.DataFrame(X, columns=["b", "a"])
    split = deal(table, list("xxyyxy"), [["a"], ["b"]], 2, 0)
    assert np.allclose(split.X.std(axis=0), 1)
    assert split.columns == [[1], [0]]
    assert split.parties.tolist() == [0, 0, 1, 1, 0, 1]


def test_a_column_that_does_not_vary_has_bounds_that_noise_can_use():
    lower, upper = deal(np.column_stack([X, np.ones(6)]), None, None, 2, 0, scale=False).bounds
    assert (upper > lower).all()
    assert lower[2] == 1.0
