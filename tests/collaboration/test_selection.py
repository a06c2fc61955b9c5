import numpy as np

from consilience.collaboration.selection import MAX_CLUSTERS, choose_kmeans, choose_spectral


def test_identical_rows_are_one_cluster():
    assert choose_kmeans(np.ones((20, 2)), seed=0) == (1, {})


def test_number_of_well_separated_groups_is_found():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(50, 2)) + np.array([15 * k, 0]) for k in range(5)])
    assert choose_kmeans(X, seed=0)[0] == 5
    assert choose_spectral(X, n_neighbors=8)[0] == 5


def test_every_number_up_to_the_limit_is_scored():
    X = np.random.default_rng(0).normal(size=(200, 3))
    assert list(choose_kmeans(X, seed=0)[1]) == list(range(2, MAX_CLUSTERS + 1))
    assert list(choose_spectral(X, n_neighbors=5)[1]) == list(range(2, MAX_CLUSTERS + 1))
