import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.study.schema import Numeric
from consilience.study.typical import MIN_ROWS, propose_typical


def test_centre_and_spread_have_one_or_two_figures():
    ages = pd.Series([31.2, 44.7, 58.1, 67.9] * 5)
    assert propose_typical(ages) == {"center": 50.0, "spread": 14.0}
    assert propose_typical(ages / 1000) == {"center": 0.05, "spread": 0.014}
    assert propose_typical(ages * 2) == {"center": 100.0, "spread": 30.0}


def test_few_rows_and_a_constant_tell_nothing():
    assert propose_typical(pd.Series([1.0, 2.0])) == {}
    assert propose_typical(pd.Series([3.0] * MIN_ROWS)) == {}


@pytest.mark.filterwarnings("ignore:overflow encountered")
@given(st.lists(st.floats(-1e300, 1e300), min_size=MIN_ROWS, max_size=30))
def test_what_is_proposed_is_a_column(values):
    column = {"bounds": (min(values), max(values)), **propose_typical(pd.Series(values))}
    if column["bounds"][0] < column["bounds"][1]:
        Numeric(**column)


def test_a_skewed_column_shows_none_of_its_values():
    values = pd.Series(np.exp(np.random.default_rng(0).normal(8, 2, size=500)).round(2))
    center = propose_typical(values)["center"]
    assert values.min() < center < values.max()
    assert float(f"{center:.1e}") == center
    assert not (values == center).any()


def test_a_median_that_is_the_least_value_is_not_told_exactly():
    values = pd.Series([33.46] * 30 + [70.0] * 5)
    assert "center" not in propose_typical(values)
    assert propose_typical(pd.Series([0.0] * 30 + [70.0] * 5))["center"] == 0.0
