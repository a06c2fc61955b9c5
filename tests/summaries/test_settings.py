"""What estimators of summaries are told."""

import numpy as np
import pytest

from consilience.summaries.settings import check_min_rows, make_units


def test_without_noise_there_is_always_a_fewest_number_of_rows():
    assert check_min_rows(None, None, 10) == 10
    assert check_min_rows(None, 1.0, 10) is None
    assert check_min_rows(3, 1.0, 10) == 3
    with pytest.raises(ValueError, match="min_rows == 0"):
        check_min_rows(0, None, 10)


def test_units_are_the_widths_of_the_bounds_unless_told():
    assert make_units(([0, 0], [2, 5]), None, 2).spreads.tolist() == [2, 5]
    assert make_units(None, [1.0, 2.0], 2).spreads.tolist() == [1, 2]
    with pytest.raises(
        ValueError, match=r"feature 0 are 0.0 and inf \(of 2 such features\), must be finite"
    ):
        make_units((0, np.inf), None, 2)
