"""Whole tables are encoded in ``test_schema.py``."""

import numpy as np
import pandas as pd

from consilience.study.columns import Categorical, Numeric, Ordinal
from consilience.study.encoding import encode_column, word_counts


def test_numbers_are_clipped_filled_and_counted():
    age = Numeric(bounds=(0, 100), missing="fill", outside="clip")
    block, missing, counts = encode_column("age", age, pd.Series([5.0, None, 120]))
    assert block.ravel().tolist() == [5, 50, 100]
    assert missing.tolist() == [False, True, False]
    assert [fault.what for fault in word_counts("age", age, counts)] == [
        "1 missing value, filled as 50",
        "1 value outside the study's bounds [0, 100], 0 below and 1 above, set to the nearest "
        "bound",
    ]


def test_categories_become_columns_or_places():
    values = pd.Series(["b", "a", None])
    one_hot, _, counts = encode_column("x", Categorical(categories=("a", "b")), values)
    np.testing.assert_array_equal(one_hot, [[0, 1], [1, 0], [0, 0]])
    assert (counts.missing, counts.wrong) == (1, ())
    places, _, _ = encode_column("x", Ordinal(categories=("a", "b"), missing="fill"), values)
    assert places.ravel().tolist() == [1, 0, 0.5]


def test_cells_of_another_kind_are_told_with_their_writing():
    _, _, counts = encode_column("age", Numeric(bounds=(0, 9)), pd.Series(["1,5", "2"]))
    [fault] = counts.wrong
    assert fault.refused
    assert "decimal comma" in fault.what
