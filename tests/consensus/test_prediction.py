import numpy as np

from consilience.consensus.prediction import cluster_means, predict_clusters


def test_rows_of_no_cluster_do_not_move_a_mean():
    means = cluster_means(np.array([[0.0], [2.0], [99.0]]), np.array([0, 0, -1]))
    assert means.tolist() == [[1.0]]


def test_ranks_and_not_distances_are_added_up():
    """One peer sees the row very near the first cluster; two others rank the second first."""
    means = [np.array([[0.0], [1.0]]), np.array([[9.0], [0.0]]), np.array([[9.0], [0.0]])]
    rows = [np.array([[0.0]]), np.array([[4.4]]), np.array([[4.4]])]
    assert predict_clusters(rows, means).tolist() == [1]


def test_distances_decide_between_equal_ranks():
    means = [np.array([[0.0], [1.0]]), np.array([[9.0], [0.0]])]
    assert predict_clusters([np.array([[0.0]]), np.array([[4.4]])], means).tolist() == [0]
