import numpy as np
import pytest

search = pytest.importorskip("consilience.continual.nodes.kernels.search", exc_type=ImportError)


@pytest.mark.parametrize("d", [1, 2, 64, 700])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_two_nearest_are_those_of_comparing_all_exactly(d, offset):
    from consilience.continual.nodes.kernels.correntropy import cim

    rng = np.random.default_rng(d)
    Y = np.round(rng.normal(size=(90, d)), 1) + offset
    Y[60:] = Y[:30]  # ties, which the lowest index wins
    Y = np.asfortranarray(Y)
    rough, distances = np.empty((2, 90), dtype=np.float32), np.empty(90)
    for x in np.round(rng.normal(size=(50, d)), 1) + offset:
        cim(x, Y, 90, 1.3, distances)
        order = np.lexsort([np.arange(90), distances])[:2]
        found = search.two_nearest(x, Y, 90, 1.3, rough)
        assert found == (*order, *distances[order])


def test_one_node_is_nearest_to_everything():
    assert search.nearest(np.ones((3, 2)), np.zeros((1, 2)), 0.1).tolist() == [0, 0, 0]


def test_points_far_from_all_nodes_go_to_the_first():
    assert search.nearest(np.full((1, 2), 1e9), np.zeros((4, 2)), 1e-6).tolist() == [0]
