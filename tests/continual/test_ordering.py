import numpy as np

from consilience.continual.ordering import sort_by_wins


def test_often_winning_nodes_of_every_party_come_first():
    nodes = [np.arange(8.0)[:, None], np.arange(10.0, 18.0)[:, None]]
    counts = [np.array([1, 1, 1, 1, 1, 1, 5, 7]), np.array([90, 80, 2, 2, 2, 2, 2, 2])]
    order = sort_by_wins(nodes, counts, np.random.RandomState(3)).ravel()
    assert sorted(order[:4]) == [6.0, 7.0, 10.0, 11.0]
    assert sorted(order) == [*range(8), *range(10, 18)]


def test_party_without_nodes_is_passed_over():
    nodes = [np.empty((0, 1)), np.array([[1.0]])]
    counts = [np.empty(0, dtype=np.int64), np.array([1])]
    assert sort_by_wins(nodes, counts, np.random.RandomState(0)).tolist() == [[1.0]]
