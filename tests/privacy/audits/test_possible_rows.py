import numpy as np
import pytest

from consilience.privacy.audits.possible_rows import PossibleRows


def seen(column, lower=0.0, upper=100.0):
    rows = np.asarray(column, dtype=float)[:, None]
    return PossibleRows.seen_in(rows, np.array([lower]), np.array([upper])).step.item()


def test_the_step_is_the_last_decimal_that_occurs():
    assert seen([3.0, 17.0, 5.0]) == 1.0
    assert seen([36.6, 37.0, 41.25]) == pytest.approx(0.01)


def test_a_column_that_is_not_rounded_may_hold_any_number():
    rows = np.random.default_rng(0).uniform(size=(30, 1))
    possible = PossibleRows.seen_in(rows, np.zeros(1), np.ones(1))
    assert possible.loose.tolist() == [0]
    assert not len(possible.free)


def test_a_value_beside_the_steps_is_there_once_or_not_at_all():
    rows = np.array([1.0, 4, 7, 2, 4.5, 4.5, 3, 9])[:, None]
    possible = PossibleRows.seen_in(rows, np.zeros(1), np.full(1, 9.0))
    counts = np.array([[4, 0], [4, 1], [4, 2], [4, -1]])
    assert possible.rows(counts[:2]).ravel().tolist() == [5.0, 4.5]
    assert possible.allowed(counts).tolist() == [True, True, False, False]
    every = PossibleRows.seen_in(rows, np.zeros(1), np.full(1, 9.0), no_exceptions=True)
    assert (every.step.item(), every.instead) == (0.1, ())


def test_of_few_values_one_is_there():
    values = np.log([1.0, 2, 3])
    rows = np.repeat(values, 4)[:, None]
    possible = PossibleRows.seen_in(rows, values[:1], values[2:])
    counts = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    assert possible.allowed(counts).tolist() == [True, True, True, False]
    np.testing.assert_allclose(np.sort(possible.rows(counts[:3]).ravel()), values)


def test_more_values_beside_steps_than_can_be_searched_are_any_number():
    rows = np.log(np.random.default_rng(0).integers(1, 13, size=(60, 9)))
    possible = PossibleRows.seen_in(rows, np.zeros(9), np.full(9, 3.0))
    assert 0 < len(possible.instead) <= 60
    assert len(possible.loose) >= 3


def test_moments_of_counts_are_those_of_rows_in_steps():
    rows = np.array([[1.0, 2.5], [3.0, 7.5], [7.0, 5.0], [9.0, 9.0]])
    possible = PossibleRows.seen_in(rows, np.zeros(2), np.full(2, 10.0))
    centre, spread = possible.count_moments(rows.mean(axis=0), np.cov(rows.T))
    counts = (rows - possible.start) / possible.step
    np.testing.assert_allclose(centre, counts.mean(axis=0))
    np.testing.assert_allclose(spread, np.cov(counts.T))


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
    assert possible.free.tolist() == [0]
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
