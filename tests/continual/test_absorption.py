import numpy as np

from consilience.continual.absorption import absorb_small

NODES = np.array([[0.0], [1.0], [9.0], [10.0]])
LABELS = np.array([0, 1, 2, 2])
COUNTS = np.array([20, 1, 10, 10])


def test_small_cluster_joins_its_nearest_large_neighbour():
    assert absorb_small(NODES, LABELS, COUNTS, 1.0, 5).tolist() == [0, 0, 1, 1]


def test_nothing_changes_at_one():
    assert absorb_small(NODES, LABELS, COUNTS, 1.0, 1).tolist() == LABELS.tolist()


def test_if_all_are_small_all_stay():
    assert absorb_small(NODES, LABELS, COUNTS, 1.0, 1000).tolist() == LABELS.tolist()
