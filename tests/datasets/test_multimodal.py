import numpy as np

from consilience.datasets import multimodal, simplex


def test_neither_view_knows_the_classes_of_the_other():
    X, y = multimodal(random_state=0)
    radius = np.linalg.norm(X[:, :3], axis=1)
    np.testing.assert_array_equal(radius > 5, y >= 3)
    corner = np.linalg.norm(X[:, None, 3:] - np.array([[0, 0], [0, 10], [10, 0]]), axis=2).argmin(1)
    np.testing.assert_array_equal(corner, y % 3)
    assert np.bincount(y).min() > 150


def test_corners_of_the_simplex_are_one_apart():
    X, y = simplex(0.0, 40, random_state=0)
    centres = np.array([X[y == k, :3].mean(axis=0) for k in range(4)])
    distances = np.linalg.norm(centres[:, None] - centres, axis=2)
    np.testing.assert_allclose(distances[~np.eye(4, dtype=bool)], 1.0)
