import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consilience.consensus.srgf import SubspaceGraphClustering, fuse_graphs, neighbour_graph


def test_graph_has_the_published_weights():
    X = np.array([[0.0], [1.0], [3.0]])
    graph = neighbour_graph(X, 1)
    sigma = np.abs(X - X.T).mean()
    assert graph[0, 1] == pytest.approx(np.exp(-1 / (2 * sigma)))
    assert graph[1, 2] == pytest.approx(np.exp(-2 / (2 * sigma)))
    assert graph[0, 2] == 0
    np.testing.assert_array_equal(graph, graph.T)


def test_a_row_that_counts_itself_has_one_neighbour_less():
    X = np.array([[0.0], [0.0], [3.0], [9.0]])
    np.testing.assert_array_equal(neighbour_graph(X, 1, count_self=True), np.eye(4))
    graph = neighbour_graph(X, 2, count_self=True)
    np.testing.assert_array_equal(np.diag(graph), 1)
    np.testing.assert_array_equal((graph > 0).sum(axis=1), 2)
    assert graph[3, 2] > 0 == graph[2, 3]


def test_two_views_of_two_cliques_agree_after_fusion():
    X = np.array([[0.0], [0.5], [1.0], [10.0], [10.5], [11.0]])
    fused = fuse_graphs([neighbour_graph(X, 2), neighbour_graph(X + 1, 2)], 2)
    np.testing.assert_allclose(fused, fused.T)
    assert fused[:3, :3].min() > fused[:3, 3:].max()


def test_groups_in_many_noisy_columns():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 25)
    X = rng.normal(size=(75, 200))
    X[:, :60] += 1.5 * rng.normal(size=(3, 60))[truth]
    labels = SubspaceGraphClustering(3, random_state=0).fit_predict(X)
    assert adjusted_rand_score(truth, labels) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"n_graphs": 1}, "n_graphs == 1"), ({"sampling_ratio": 0}, "sampling_ratio == 0")],
)
def test_bad_settings_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        SubspaceGraphClustering(2, **parameters).fit(np.eye(5))
