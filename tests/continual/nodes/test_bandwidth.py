import numpy as np
import pytest

from consilience.continual.nodes.bandwidth import SMALLEST_SPREAD, bandwidth


def test_silverman_by_hand_for_one_feature():
    A = np.array([[0.0], [1.0], [2.0], [3.0]])
    expected = (4 / 3) ** (1 / 5) * np.std(A, ddof=1) * 4 ** (-1 / 5)
    assert bandwidth(A) == pytest.approx(expected)


def test_median_over_features_ignores_one_wild_feature():
    A = np.random.default_rng(0).normal(size=(50, 3))
    B = A * [1.0, 1.0, 1e6]
    assert bandwidth(B) < 2 * bandwidth(A)


def test_constant_features_and_a_single_row_have_a_bandwidth():
    constant = bandwidth(np.ones((10, 4)))
    assert 0 < constant <= SMALLEST_SPREAD
    assert 0 < bandwidth(np.ones((1, 4))) <= 2 * SMALLEST_SPREAD
