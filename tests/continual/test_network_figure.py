import numpy as np

from consilience.continual.network_figure import draw_network


def panel(n, d):
    nodes = np.random.default_rng(0).normal(size=(n, d))
    return ("round", nodes, np.array([[0, 1]]), np.arange(n) % 2)


def test_one_round_and_many_in_one_or_several_dimensions():
    for d in (1, 2, 5):
        assert draw_network([panel(7, d)]).startswith(b"<?xml")
    assert draw_network([panel(7, 3)] * 5).startswith(b"<?xml")


def test_network_without_edges_is_drawn():
    title, nodes, _, labels = panel(3, 2)
    assert draw_network([(title, nodes, np.empty((0, 2), dtype=np.int64), labels)])


def test_nodes_are_painted_not_written():
    svg = draw_network([panel(7, 2)])
    assert b"data:image/png;base64" in svg
