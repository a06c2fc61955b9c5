import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from consilience.collaboration.clustering import MAX_EXACT, cluster
from consilience.collaboration.landmarks import (
    GRAPH_LANDMARKS,
    MAX_LANDMARKS,
    NearestLandmark,
    find_landmarks,
    graph_landmarks,
)


def test_few_rows_are_landmarks_themselves():
    X = np.random.default_rng(0).normal(size=(MAX_LANDMARKS, 2))
    found = find_landmarks(X, seed=0)
    np.testing.assert_array_equal(found.places[found.members], X)
    assert (found.weights == 1).all()


def test_rows_belong_to_the_nearest_of_many_landmarks_and_none_is_idle():
    X = np.random.default_rng(0).normal(size=(4 * MAX_LANDMARKS, 3))
    found = find_landmarks(X, seed=0)
    assert len(found.places) <= MAX_LANDMARKS
    assert found.weights.sum() == len(X)
    assert found.weights.min() > 0
    distances = np.linalg.norm(X[::37, None] - found.places, axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), found.members[::37])


def test_of_few_rows_the_clusters_are_those_of_spectral_clustering():
    X, _ = make_moons(GRAPH_LANDMARKS // 2, noise=0.08, random_state=0)
    for n_clusters in (2, "auto"):
        exact, ours = (cluster(X.copy(), m, n_clusters, seed=0) for m in ("spectral", "landmarks"))
        np.testing.assert_array_equal(exact.labels, ours.labels)


@pytest.mark.parametrize("n_clusters", [2, "auto"])
def test_moons_of_many_rows_are_found_and_new_rows_labelled_alike(n_clusters):
    X, y = make_moons(MAX_EXACT + 1, noise=0.05, random_state=0)
    partition = cluster(X.copy(), "landmarks", n_clusters, seed=0)
    assert adjusted_rand_score(y, partition.labels) > 0.99
    np.testing.assert_array_equal(partition.predict(X, X), partition.labels)
    shown = partition.shown(X)
    distances = np.linalg.norm(shown.part(slice(0, len(X)))[:, None] - shown.centers, axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), partition.labels)


def test_a_row_takes_the_label_of_its_nearest_landmark():
    rule = NearestLandmark(np.array([[0.0], [10.0]]), np.array([1, 0]))
    assert rule.predict([[2.0], [6.0]]).tolist() == [1, 0]


def test_landmarks_of_a_graph_are_many_and_lie_close_where_rows_do():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(9_000, 2)), rng.normal(50, 1, size=(3_000, 2))])
    found = graph_landmarks(X, seed=0)
    assert MAX_LANDMARKS < len(found.places) <= GRAPH_LANDMARKS
    assert 0.2 < (found.places[:, 0] > 25).mean() < 0.3
