import numpy as np
import pytest

from consilience.continual.nodes.vigilance import similarity_threshold


def test_mean_of_nearest_distances_by_hand():
    A = np.array([[0.0], [1.0], [3.0]])
    near, far = np.sqrt(1 - np.exp(-0.5)), np.sqrt(1 - np.exp(-2.0))
    assert similarity_threshold(A, 1.0) == pytest.approx((near + near + far) / 3)


def test_duplicates_do_not_pull_the_threshold_down():
    A = np.array([[0.0], [0.0], [1.0]])
    assert similarity_threshold(A, 1.0) == pytest.approx(np.sqrt(1 - np.exp(-0.5)))


def test_equal_nodes_give_a_threshold_of_zero():
    assert similarity_threshold(np.ones((4, 2)), 1.0) == 0.0
