import numpy as np
import pytest

from consilience.summaries.how_many import choose_number


def centers(k, n_institutions=4, each=10, seed=0):
    rng = np.random.default_rng(seed)
    places = 8 * rng.normal(size=(k, 4))
    Z = places[np.arange(n_institutions * each) % k] + rng.normal(size=(n_institutions * each, 4))
    senders = np.repeat(np.arange(n_institutions), each)
    return Z, rng.uniform(20, 60, len(Z)), senders


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_clusters_that_all_institutions_show_are_found(k):
    assert choose_number(*centers(k), seed=0) == k


def test_places_where_noise_moved_single_centres_are_no_clusters():
    Z, weights, senders = centers(1, n_institutions=3, each=4)
    assert choose_number(Z, weights, senders, seed=0) == 1


def test_one_institution_is_served():
    Z, weights, _ = centers(3, n_institutions=1, each=40)
    assert choose_number(Z, weights, np.zeros(40, dtype=np.intp), seed=0) == 3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_few_centres_are_one_cluster(n):
    assert choose_number(np.arange(2.0 * n).reshape(n, 2), np.ones(n), np.arange(n), seed=0) == 1


def test_equal_centres_are_one_cluster():
    assert choose_number(np.ones((12, 2)), np.ones(12), np.arange(12) % 3, seed=0) == 1


def test_of_many_centres_a_sample_is_enough():
    Z, weights, senders = centers(3, n_institutions=4, each=600)
    assert choose_number(Z, weights, senders, seed=0) == 3
