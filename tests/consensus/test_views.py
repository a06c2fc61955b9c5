import numpy as np
import pytest

from consilience.consensus.views import column_views


def test_numbers_from_the_end_and_names_mix():
    names = np.array(["x", "y", "z"], dtype=object)
    views = column_views([["x", -1], [1]], 3, names)
    assert [v.tolist() for v in views] == [[0, 2], [1]]


@pytest.mark.parametrize("columns", [[["nobody"]], [[3]], [[]], [[1.5]]])
def test_unknown_columns_are_named(columns):
    with pytest.raises(ValueError, match=r"columns\[0\] =="):
        column_views(columns, 3, np.array(["x", "y", "z"], dtype=object))
