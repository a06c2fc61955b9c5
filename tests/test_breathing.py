"""Breathing moves centres that no step of k-means would."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.breathing import breathe


def rows_of(n_clusters, seed, width=1.0):
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-20, 20, size=(n_clusters, 3))
    return centers[rng.integers(n_clusters, size=3_000)] + rng.normal(scale=width, size=(3_000, 3))


def test_two_centres_in_one_cluster_leave_it_for_one_that_has_none():
    X = np.add.outer([0.0, 10.0, 20.0], np.linspace(-1, 1, 21)).reshape(-1, 1)
    bad = np.array([[-0.5], [0.5], [15.0]])
    stuck = KMeans(3, init=bad, n_init=1).fit(X).inertia_
    found = breathe(X, np.ones(len(X)), bad, np.random.default_rng(0), max_iter=10)
    np.testing.assert_allclose(np.sort(found.centers.ravel()), [0, 10, 20], atol=1e-9)
    assert found.inertia < stuck / 10


@pytest.mark.parametrize("seed", range(5))
def test_it_is_never_worse_and_nearly_as_good_as_ten_starts(seed):
    X = rows_of(20, seed, width=4.0)
    one = KMeans(20, n_init=1, init="random", random_state=seed).fit(X)
    ten = KMeans(20, n_init=10, random_state=seed).fit(X)
    weights, rng = np.ones(len(X)), np.random.default_rng(seed)
    found = breathe(X, weights, one.cluster_centers_, rng, max_iter=10)
    assert found.centers.shape == (20, 3)
    assert found.inertia <= one.inertia_
    assert found.inertia <= 1.01 * ten.inertia_


def test_a_row_of_weight_two_counts_as_two_rows():
    X = rows_of(6, 0)
    weights = np.where(np.arange(len(X)) < 500, 2.0, 1.0)
    twice = np.vstack([X[:500], X])
    start = X[:6]
    one = breathe(X, weights, start, np.random.default_rng(0), max_iter=300)
    two = breathe(twice, np.ones(len(twice)), start, np.random.default_rng(0), max_iter=300)
    assert one.inertia == pytest.approx(two.inertia, rel=1e-6)


@pytest.mark.parametrize("n_clusters", [1, 2])
def test_one_and_two_clusters_have_their_means(n_clusters):
    X = np.random.default_rng(0).normal(size=(400, 2)) + np.repeat([[0, 0], [50, 0]], 200, axis=0)
    found = breathe(X, np.ones(400), X[:n_clusters], np.random.default_rng(0), max_iter=50)
    means = X.reshape(n_clusters, -1, 2).mean(axis=1)
    np.testing.assert_allclose(found.centers[found.centers[:, 0].argsort()], means, atol=1e-6)
