import numpy as np

from consilience.continual.nodes.profile import find_profile
from consilience.continual.panel import Panel


def blobs(seed=0, n=400):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[np.arange(n) % 3]


def test_networks_see_the_same_nodes_in_different_orders():
    panel = Panel(2, find_profile("improved"), seed=5)
    panel.learn([blobs()], [np.ones(400, dtype=np.int64)])
    assert len(panel.networks) == 10
    assert {network.n_seen for network in panel.networks} == {400}
    assert len({network.nodes[0, 0] for network in panel.networks}) == 10


def test_the_network_that_agrees_most_with_the_others_speaks():
    panel = Panel(2, find_profile("improved"))
    X = blobs()
    panel.learn([X[:200]], [np.ones(200, dtype=np.int64)])
    odd = panel.networks[0]
    odd.ages[:] = 0  # every node a cluster of its own
    panel.choose(X)
    assert panel.chosen != 0


def test_single_network_is_the_published_method():
    panel = Panel(2, find_profile("reference"))
    panel.learn([blobs()], [np.ones(400, dtype=np.int64)])
    panel.choose(blobs())
    assert panel.chosen == 0


def test_panel_survives_the_trip_through_its_state():
    panel = Panel(2, find_profile("improved"), seed=3)
    X, ones = blobs(), np.ones(400, dtype=np.int64)
    panel.learn([X], [ones])
    panel.choose(X)
    again = Panel.from_state(panel.state())
    for each in (panel, again):
        each.learn([X + 1], [ones])
        each.choose(X)
    assert again.chosen == panel.chosen
    np.testing.assert_array_equal(again.network.positions, panel.network.positions)
