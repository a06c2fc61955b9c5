import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consilience.collaboration.clustering import cluster
from consilience.collaboration.trimming import inner_rows, trimmed_kmeans


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    return np.array([[0.0, 0], [6, 0], [0, 6]])[y] + rng.normal(size=(300, 2)), y


def test_without_rows_apart_it_finds_the_clusters(blobs):
    X, y = blobs
    labels, centers = trimmed_kmeans(X, 3, 0.05, seed=0)
    assert adjusted_rand_score(y, labels) > 0.97
    assert centers.shape == (3, 2)


@pytest.mark.parametrize("far", [[1e3, 1e3], [60, -60], [1e6, 0]])
def test_fewer_rows_than_are_trimmed_move_no_centre(blobs, far):
    X, y = blobs
    both = np.vstack([X, np.tile(far, (10, 1))])
    labels, centers = trimmed_kmeans(both, 3, 0.05, seed=0)
    assert adjusted_rand_score(y, labels[:300]) > 0.97
    assert np.abs(centers).max() < 7
    plain = cluster(both.copy(), n_clusters=3, seed=0).labels[:300]
    assert adjusted_rand_score(y, plain) < 0.7, "plain k-means gives them a centre"


def test_more_clusters_than_rows_that_count_are_served():
    X = np.array([[0.0], [1.0], [2.0]])
    labels, centers = trimmed_kmeans(X, 3, 0.4, seed=0)
    assert sorted(labels) == [0, 1, 2]
    assert sorted(centers.ravel()) == [0, 1, 2]


def test_the_number_of_clusters_is_chosen_without_rows_apart(blobs):
    X, y = blobs
    both = np.vstack([X, [[1e3, 1e3], [2e3, -1e3], [-5e3, 0]]])
    partition = cluster(both, n_clusters="auto", trim=0.05, seed=0)
    assert partition.n_clusters == 3
    assert adjusted_rand_score(y, partition.labels[:300]) > 0.97


def test_rows_inside_keep_their_order():
    X = np.array([[5.0, 1.0], [900.0, 1.0], [4.0, 1.0], [6.0, 1.0]])
    assert inner_rows(X, 0.25)[:, 0].tolist() == [5, 4, 6]
    assert inner_rows(X, 0.99).shape == (1, 2)
