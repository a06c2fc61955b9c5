"""Distances between rows and anchor, by hand and by their identities."""

import numpy as np
import pytest

from benchmarks.distances import average_minimum_distance, earth_movers_distance


def test_assignment_by_hand():
    X, A = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 3.0], [0.0, 4.0]])
    assert earth_movers_distance(X, A) == pytest.approx(3.5)


def test_minimum_distance_is_not_symmetric():
    X, A = np.array([[0.0], [10.0]]), np.array([[0.0]])
    assert average_minimum_distance(X, A) == 5.0
    assert average_minimum_distance(A, X) == 0.0


def test_a_set_is_at_distance_zero_from_itself_in_any_order():
    X = np.random.default_rng(0).normal(size=(40, 3))
    assert earth_movers_distance(X, X[::-1]) == 0.0


def test_a_shift_costs_the_shift():
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert earth_movers_distance(X, X + np.array([3.0, 4.0])) == pytest.approx(5.0)


def test_sampled_value_is_an_upper_estimate():
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(400, 2)), rng.normal([2.0, 0.0], size=(400, 2))
    exact = earth_movers_distance(X, A)
    sampled = [earth_movers_distance(X, A, n_exact=20, seed=seed) for seed in range(5)]
    assert exact < np.mean(sampled) == pytest.approx(exact, rel=0.25)


def test_sets_of_unequal_size_are_sampled_to_the_smaller():
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(90, 2)), rng.normal(size=(30, 2))
    assert earth_movers_distance(X, A) == earth_movers_distance(X, A, n_exact=30)
