import numpy as np
import pytest

from consilience.continual.nodes.correntropy import correntropy, to_distance, two_most_alike

search = pytest.importorskip("consilience.continual.nodes.kernels.search", exc_type=ImportError)


@pytest.mark.parametrize("d", [1, 2, 64, 700])
@pytest.mark.parametrize("offset", [0.0, 1e6, 1e12])
def test_the_two_nearest_are_those_of_comparing_all_exactly(d, offset):
    rng = np.random.default_rng(d)
    Y = np.round(rng.normal(size=(90, d)), 1) + offset
    Y[60:] = Y[:30]  # ties, which the lowest index wins
    sketch = search.draw(Y, 90, Y[0])
    for x in np.round(rng.normal(size=(50, d)), 1) + offset:
        alike = correntropy(x, Y, 1.3)
        first, second = two_most_alike(alike)
        *found, near, next_near = search.two_nearest(x, Y, 90, 1.3, sketch)
        assert found == [first, second]
        expected = to_distance(alike[[first, second]])
        np.testing.assert_allclose([near, next_near], expected, rtol=1e-9, atol=1e-9)


def test_one_node_is_nearest_to_everything():
    assert search.nearest(np.ones((3, 2)), np.zeros((1, 2)), 0.1).tolist() == [0, 0, 0]


def test_points_far_from_all_nodes_go_to_the_first():
    assert search.nearest(np.full((1, 2), 1e9), np.zeros((4, 2)), 1e-6).tolist() == [0]


def test_a_sketch_far_from_its_origin_still_finds_them():
    rng = np.random.default_rng(0)
    Y = rng.normal(size=(40, 5))
    sketch = search.draw(Y, 40, Y[0] + 1e9)
    for x in rng.normal(size=(50, 5)):
        first, second = two_most_alike(correntropy(x, Y, 0.5))
        assert search.two_nearest(x, Y, 40, 0.5, sketch)[:2] == (first, second)


def test_a_node_that_moved_is_found_where_it_is():
    Y = np.array([[0.0, 0.0], [5.0, 5.0], [9.0, 9.0]])
    sketch = search.draw(Y, 3, Y[0])
    Y[2] = [1.0, 1.0]
    search.draw_node(sketch, Y, 2)
    assert search.two_nearest(np.array([0.9, 0.9]), Y, 3, 1.0, sketch)[:2] == (2, 0)
