import numpy as np
import pytest

from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.rounding import (
    DEFAULT_ROUNDING,
    RoundedReduction,
    choose_step,
    step_of,
    to_steps,
)


def test_the_step_is_the_nearest_power_of_two_of_a_share_of_the_spread():
    rows = np.array([[0.0, 0.0], [2.0, 2.0]])  # a variance of 1 in each coordinate
    assert choose_step(rows, rows, 1 / 64) == 1 / 64
    assert choose_step(3 * rows, rows, 1 / 64) == 1 / 16
    assert choose_step(rows * [1.0, 0.0], rows, 1 / 64) == 1 / 64, "of the mean variance, 1/2"


def test_rows_without_spread_are_rounded_as_the_anchor_is():
    one, anchor = np.ones((1, 2)), np.array([[0.0, 0.0], [2.0, 2.0]])
    assert choose_step(one, anchor, 1 / 8) == 1 / 8
    assert choose_step(one, one, 1 / 8) == 1 / 8, "nothing has any: the unit"


@pytest.mark.parametrize("scale", [1e-100, 1e-3, 1.0, 1e100])
def test_the_loss_is_a_share_of_the_variance_in_any_unit(scale):
    Z = scale * np.random.default_rng(0).normal(size=(20_000, 3))
    step = choose_step(Z, Z, 1 / 8)
    error = to_steps(Z, step) * step - Z
    assert (error / scale).var() == pytest.approx((step / scale) ** 2 / 12, rel=0.02)
    assert 1 / 12 <= step / scale <= 1 / 5


def test_a_row_far_out_takes_more_bytes_and_one_beyond_all_is_refused():
    Z = np.array([[0.2, 40_000.0]])
    assert to_steps(Z, 1.0).dtype == np.int32
    assert to_steps(Z, 10.0).dtype == np.int16
    with pytest.raises(ValueError, match="must be at most 2147483647"):
        to_steps(Z, 2.0**-30)


def test_rounding_twice_changes_nothing():
    f = RoundedReduction(AffineReduction(np.zeros(2), np.eye(2)), 0.125)
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert np.array_equal(f.transform(f.transform(X)), f.transform(X))
    assert (step_of(f), step_of(f.reduction)) == (0.125, 0.0)


def test_the_default_is_a_power_of_two_below_one():
    assert np.log2(DEFAULT_ROUNDING) == round(np.log2(DEFAULT_ROUNDING)) < 0
