import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_iris, make_moons
from sklearn.metrics import adjusted_rand_score

from consilience.collaboration.clustering import cluster
from consilience.collaboration.spectral import (
    _join_components,
    neighbor_graph,
    spectral_embedding,
)


def laplacian_residual(X, embedding, n_neighbors):
    """How far the columns are from eigenvectors of the normalised adjacency."""
    W = neighbor_graph(X, n_neighbors).toarray()
    root = 1 / np.sqrt(W.sum(axis=1))
    V = embedding.coordinates / root[:, None]
    return np.abs(root[:, None] * W * root @ V - V * embedding.eigenvalues).max()


@pytest.mark.parametrize("n", [60, 900])
def test_columns_are_eigenvectors(n):
    X = np.random.default_rng(0).normal(size=(n, 3))
    embedding = spectral_embedding(X, 4, 10)
    assert laplacian_residual(X, embedding, 10) < 1e-8
    assert (np.diff(embedding.eigenvalues) <= 1e-12).all()
    assert embedding.eigenvalues[0] == pytest.approx(1)


def test_every_copy_of_a_repeated_eigenvalue_is_found():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(500, 2)) + np.array([100 * k, 0]) for k in range(4)])
    embedding = spectral_embedding(X, 5, 8)
    assert embedding.n_components == 4
    np.testing.assert_allclose(embedding.eigenvalues[:4], 1, atol=1e-10)
    assert embedding.eigenvalues[4] < 1 - 1e-6


def test_more_components_than_clusters_are_joined_by_the_shortest_edges():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [13.0], [14.0]])
    W = neighbor_graph(X, 2)
    n, component = connected_components(W)
    assert n == 3
    joined = _join_components(X, W, component)
    assert connected_components(joined)[0] == 1
    added = {tuple(sorted(pair)) for pair in zip(*(joined - W).nonzero(), strict=True)}
    assert added == {(1, 2), (3, 4)}


def test_duplicated_rows_are_served():
    X = np.repeat(np.arange(6.0), 12)[:, None]
    labels = cluster(X.copy(), "spectral", 2, n_neighbors=4, seed=0).labels
    assert np.unique(labels).tolist() == [0, 1]
    assert all(len(set(labels[i : i + 12])) == 1 for i in range(0, 72, 12))


@pytest.mark.parametrize("data", ["moons", "iris"])
def test_labels_are_those_of_scikit_learn_on_a_connected_graph(data):
    if data == "moons":
        X, k = make_moons(300, noise=0.08, random_state=0)[0], 2
    else:
        X, k = load_iris().data[50:], 2
    ours = cluster(X.copy(), "spectral", k, seed=0).labels
    reference = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    assert adjusted_rand_score(reference.fit_predict(X), ours) == pytest.approx(1.0)


def test_result_does_not_depend_on_the_run():
    X = np.random.default_rng(3).normal(size=(600, 3))
    first, again = (spectral_embedding(X, 3, 10).coordinates for _ in range(2))
    np.testing.assert_array_equal(first, again)
