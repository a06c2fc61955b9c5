import numpy as np

from consilience.baselines.weighted_kmeans import assign, weighted_kmeans


def test_weights_count_like_copies():
    X = np.array([[0.0], [3.0], [10.0], [11.0]])
    weights = np.array([2.0, 1.0, 1.0, 1.0])
    _, centres = weighted_kmeans(X, 2, np.random.RandomState(0), weights)
    np.testing.assert_allclose(np.sort(centres.ravel()), [1.0, 10.5])


def test_more_clusters_than_points_leaves_each_point_alone():
    labels, centres = weighted_kmeans(np.eye(3), 9, np.random.RandomState(0))
    assert len(set(labels)) == 3
    assert len(centres) == 3


def test_assignment_is_to_the_nearest_centre():
    rng = np.random.default_rng(0)
    X, centres = rng.normal(size=(50, 4)), rng.normal(size=(6, 4))
    nearest = np.linalg.norm(X[:, None] - centres, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(assign(X, centres), nearest)
