import numpy as np
import pytest

from consilience.holdings import Holdings, column_groups, row_groups


def test_rows_of_each_institution_keep_their_order():
    names, rows = row_groups(np.array([2, 0, 2, 0, 1]), 5)
    assert names == [0, 1, 2]
    assert [r.tolist() for r in rows] == [[1, 3], [4], [0, 2]]


def test_cells_are_named_by_row_and_column():
    grid = Holdings(["a", "b"], [np.arange(2), np.arange(2, 3)], [np.arange(1), np.arange(1, 2)])
    assert [name for name, _, _ in grid.cells()] == ["0/0", "0/1", "1/0", "1/1"]


def test_negative_index_counts_from_the_end():
    assert [g.tolist() for g in column_groups([[-1], [0, 1]], 3)] == [[2], [0, 1]]


def test_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"columns names 'z', but the columns are \['a', 'b'\]"):
        column_groups([["a"], ["z"]], 2, np.array(["a", "b"]))
