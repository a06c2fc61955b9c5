import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.study.bounds import outward

NUMBER = st.floats(-1e12, 1e12, allow_nan=False)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [((23, 61), (20, 70)), ((5, 5), (5, 6)), ((0, 0), (0, 1)), ((-0.031, 0.004), (-0.04, 0.01))],
)
def test_bounds_worked_by_hand(given_, expected):
    assert outward(*given_) == expected


@given(NUMBER, NUMBER)
def test_bounds_hold_what_they_were_made_of(one, other):
    low, high = outward(min(one, other), max(one, other))
    assert low <= min(one, other)
    assert max(one, other) <= high
    assert low < high
