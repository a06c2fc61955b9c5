import numpy as np
import pytest

from consilience.continual.nodes.correntropy import correntropy, to_distance, two_most_alike

search = pytest.importorskip("consilience.continual.nodes.kernels.search", exc_type=ImportError)


@pytest.mark.parametrize("d", [1, 2, 64, 700])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_two_nearest_are_those_of_comparing_all_exactly(d, offset):
    rng = np.random.default_rng(d)
    Y = np.round(rng.normal(size=(90, d)), 1) + offset
    Y[60:] = Y[:30]  # ties, which the lowest index wins
    rough = np.empty((2, 90), dtype=np.float32)
    for x in np.round(rng.normal(size=(50, d)), 1) + offset:
        alike = correntropy(x, Y, 1.3)
        first, second = two_most_alike(alike)
        *found, near, next_near = search.two_nearest(x, np.asfortranarray(Y), 90, 1.3, rough)
        assert found == [first, second]
        expected = to_distance(alike[[first, second]])
        np.testing.assert_allclose([near, next_near], expected, rtol=1e-9, atol=1e-9)


def test_one_node_is_nearest_to_everything():
    assert search.nearest(np.ones((3, 2)), np.zeros((1, 2)), 0.1).tolist() == [0, 0, 0]


def test_points_far_from_all_nodes_go_to_the_first():
    assert search.nearest(np.full((1, 2), 1e9), np.zeros((4, 2)), 1e-6).tolist() == [0]
