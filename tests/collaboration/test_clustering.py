import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.mixture import GaussianMixture

from consilience.collaboration.clustering import cluster

X = np.array([[0.0, 0], [0, 1], [1, 0], [20, 20], [20, 21], [50, 0]])


def test_clusters_are_numbered_by_size():
    partition = cluster(X.copy(), "kmeans", 3, seed=0)
    assert partition.labels.tolist() == [0, 0, 0, 1, 1, 2]
    np.testing.assert_allclose(partition.centers, [[1 / 3, 1 / 3], [20, 20.5], [50, 0]])


@pytest.mark.parametrize("seed", range(5))
def test_numbers_do_not_depend_on_the_start(seed):
    assert cluster(X.copy(), "kmeans", 3, seed=seed).labels.tolist() == [0, 0, 0, 1, 1, 2]


def test_new_rows_go_to_the_nearest_centre():
    partition = cluster(X.copy(), "kmeans", 3, seed=0)
    assert partition.predict(np.array([[49.0, 1], [2, 2]]), X).tolist() == [2, 0]


def test_new_rows_of_a_clusterer_without_predict_take_their_neighbours_label():
    partition = cluster(X.copy(), DBSCAN(eps=2, min_samples=1), 99, seed=0)
    assert partition.n_clusters == 3
    rows = np.vstack([X] * 5)
    many = cluster(rows.copy(), DBSCAN(eps=2, min_samples=1), 99, seed=0)
    assert many.predict(np.array([[20.0, 20.4]]), rows)[0] == many.labels[3]


def test_clusterer_with_predict_labels_new_rows_itself():
    mixture = GaussianMixture(2, random_state=0)
    rows = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 9]], 30, axis=0)
    partition = cluster(rows.copy(), mixture, seed=0)
    np.testing.assert_array_equal(partition.predict(rows, rows), partition.labels)


def test_noise_is_kept_and_belongs_to_no_centre():
    partition = cluster(X.copy(), DBSCAN(eps=2, min_samples=2), seed=0)
    assert partition.labels.tolist() == [0, 0, 0, 1, 1, -1]
    assert partition.n_clusters == len(partition.centers) == 2


def test_seed_reaches_a_clusterer_that_has_none():
    rows = np.random.default_rng(0).uniform(size=(300, 2))
    first = cluster(rows.copy(), KMeans(5, n_init=1), seed=1).labels
    again = cluster(rows.copy(), KMeans(5, n_init=1), seed=1).labels
    np.testing.assert_array_equal(first, again)


def test_auto_keeps_its_scores():
    rng = np.random.default_rng(0)
    rows = np.vstack(
        [rng.normal(size=(40, 2)) + 12 * np.array(c) for c in [(0, 0), (1, 0), (0, 1)]]
    )
    for method, criterion in (
        ("kmeans", "gap statistic"),
        ("spectral", "ratio of eigenvalues"),
    ):
        partition = cluster(rows.copy(), method, "auto", seed=0)
        assert partition.n_clusters == 3
        assert partition.criterion == criterion
        assert max(partition.scores, key=partition.scores.get) == 3


def test_refusals_name_value_rule_and_way_out():
    with pytest.raises(ValueError, match=r"n_clusters == 7, must be <= 6.*Lower n_clusters"):
        cluster(X.copy(), "kmeans", 7, seed=0)
    with pytest.raises(
        ValueError,
        match=r"method == 'mean', must be 'kmeans', 'spectral', 'landmarks', 'hierarchical', ",
    ):
        cluster(X.copy(), "mean", 2, seed=0)
