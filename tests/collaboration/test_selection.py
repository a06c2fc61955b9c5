import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons

from consilience.collaboration.selection import choose_kmeans, choose_spectral
from consilience.collaboration.terms import MAX_CLUSTERS


def test_rows_too_alike_or_too_few_are_one_cluster():
    for X in (np.ones((20, 2)), np.array([[0.0], [1.0]])):
        assert choose_kmeans(X, seed=0) == (1, {}, "")
    assert choose_spectral(np.ones((1, 2)), n_neighbors=5).n_clusters == 1


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_number_of_round_groups_is_found_and_one_is_a_number(k):
    X, _ = make_blobs(600, centers=k, n_features=6, random_state=k)
    assert choose_kmeans(X, seed=0).n_clusters == k
    assert choose_spectral(X, n_neighbors=10).n_clusters == k


def test_rows_on_few_points_are_as_many_clusters():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0]], 10, axis=0)
    found = choose_kmeans(X, seed=0)
    assert np.isfinite(list(found.scores.values())).all()
    assert found.n_clusters == 4  # as many as are tried: one less than there are points


def test_long_clusters_are_found_by_the_ratio_of_eigenvalues():
    for X in (
        make_moons(600, noise=0.05, random_state=0)[0],
        make_circles(600, noise=0.03, factor=0.5, random_state=0)[0],
    ):
        found = choose_spectral(X, n_neighbors=10)
        assert (found.n_clusters, found.criterion) == (2, "ratio of eigenvalues")


def test_a_continuum_on_which_the_gap_never_falls_is_left_to_the_silhouette():
    t = np.random.default_rng(0).uniform(size=1500)
    X = np.column_stack([np.cos(9 * t), np.sin(9 * t), 3 * t])
    found = choose_kmeans(X, seed=0)
    assert found.criterion == "mean silhouette"
    assert list(found.scores) == list(range(2, MAX_CLUSTERS + 1))


def test_every_number_up_to_the_limit_is_scored():
    X = np.random.default_rng(0).normal(size=(200, 3))
    for found in (choose_kmeans(X, seed=0), choose_spectral(X, n_neighbors=5)):
        assert list(found.scores) == list(range(1, MAX_CLUSTERS + 1))
