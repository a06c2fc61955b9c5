import numpy as np
import pytest

from consilience.privacy.audits.possible_rows import PossibleRows


def seen(column, lower=0.0, upper=100.0):
    rows = np.asarray(column, dtype=float)[:, None]
    return PossibleRows.seen_in(rows, np.array([lower]), np.array([upper])).step.item()


def test_the_step_is_the_last_decimal_that_occurs():
    assert seen([3.0, 17.0, 5.0]) == 1.0
    assert seen([36.6, 37.0, 41.25]) == pytest.approx(0.01)


def test_enough_values_show_a_step_that_is_no_power_of_ten():
    assert seen(np.arange(10) * 2.5) == pytest.approx(2.5)
    # Three even numbers say little about the next one.
    assert seen([2.0, 4.0, 8.0]) == 1.0


def test_a_column_that_is_not_rounded_gets_a_fine_step():
    rng = np.random.default_rng(0)
    assert seen(rng.uniform(size=30), 0, 1) == 2.0**-24
    assert seen(rng.uniform(size=30), -1e9, 1e9) == 2e9 * 2.0**-24


def test_origin_need_not_be_a_bound():
    rows = np.array([[1.5], [2.5], [7.5]])
    possible = PossibleRows.seen_in(rows, np.zeros(1), np.full(1, 9.0))
    assert possible.allowed(np.array([[75], [76]])).tolist() == [True, False]


def test_of_the_categories_of_a_variable_exactly_one_is_there():
    possible = PossibleRows.between(np.zeros(4), np.array([1.0, 1, 1, 5]), groups=[(0, 1, 2)])
    counts = np.array([[2, 0, 0], [2, 0, 1], [2, 1, 0], [2, 1, 1]])
    rows = possible.rows(counts)
    assert (rows[:, :3].sum(axis=1) == 1).all()
    assert possible.allowed(counts).tolist() == [True, True, True, False]


def test_a_column_whose_bounds_are_equal_is_known():
    possible = PossibleRows.between(np.array([0.0, 7.0]), np.array([9.0, 7.0]))
    assert possible.free == [0]
    assert possible.rows(np.array([[4]])).tolist() == [[4.0, 7.0]]


def test_a_category_that_cannot_occur_leaves_the_others():
    possible = PossibleRows.between(np.zeros(3), np.array([1.0, 0, 1]), groups=[(0, 1, 2)])
    assert possible.rows(np.array([[0], [1]])).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_moments_are_those_of_rows_drawn_anywhere():
    possible = PossibleRows.between(np.zeros(3), np.array([9.0, 1, 1]), groups=[(1, 2)])
    rng = np.random.default_rng(0)
    counts = np.stack([rng.integers(10, size=20_000), rng.integers(2, size=20_000)], axis=1)
    mean, covariance = possible.moments
    rows = possible.rows(counts)
    np.testing.assert_allclose(rows.mean(axis=0), mean, atol=0.06)
    np.testing.assert_allclose(np.cov(rows.T), covariance, atol=0.15)
