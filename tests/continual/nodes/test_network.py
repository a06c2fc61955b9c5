import numpy as np
import pytest

from consilience.continual.nodes.learning import learn
from consilience.continual.nodes.network import MAX_NODES, Network
from consilience.continual.nodes.profile import find_profile


def three_nodes():
    network = Network(1, find_profile("reference"))
    for value in (0.0, 1.0, 2.0):
        network.add(np.array([value]), 1.0)
    network.ages[0, 2] = network.ages[2, 0] = 5
    return network


def test_components_follow_the_edges():
    network = three_nodes()
    assert network.components().tolist() == [0, 1, 0]
    assert network.edges().tolist() == [[0, 2]]


def test_clusters_are_numbered_by_points_won():
    network = three_nodes()
    network.counts[1] = 9
    assert network.clusters().tolist() == [1, 0, 1]


def test_dropping_a_node_keeps_the_others_whole():
    network = three_nodes()
    network.keep(np.array([0, 2]))
    assert network.positions.ravel().tolist() == [0.0, 2.0]
    assert network.ids[:2].tolist() == [0, 2]
    assert network.edges().tolist() == [[0, 1]]
    network.add(np.array([7.0]), 1.0)
    assert network.ids[2] == 3, "a number is never given twice"
    assert network.edges().tolist() == [[0, 1]], "no edge is inherited from the dropped node"


def test_active_nodes_are_the_latest_used():
    network = three_nodes()
    network.n_active, network.used[0] = 2, 99
    assert network.active().tolist() == [0, 2]


def test_room_grows_by_doubling():
    network = Network(2, find_profile("reference"))
    sizes = set()
    for _ in range(100):
        network.add(np.zeros(2), 1.0)
        sizes.add(network.counts.size)
    assert sizes == {16, 32, 64, 128}
    assert network.nodes.flags.c_contiguous


@pytest.mark.parametrize("cut", [3, 15, 200])
@pytest.mark.parametrize("topology", [True, False])
def test_restored_network_goes_on_as_if_nothing_had_happened(cut, topology):
    X = np.random.default_rng(0).normal(size=(500, 3))
    through = Network(3, find_profile("reference"), topology=topology)
    learn(through, X)
    first = Network(3, find_profile("reference"), topology=topology)
    learn(first, X[:cut])
    again = Network.from_state(first.state())
    learn(again, X[cut:])
    np.testing.assert_array_equal(through.positions, again.positions)
    np.testing.assert_array_equal(through.edges(), again.edges())
    assert through.n_deleted == again.n_deleted


def test_every_renewal_lets_an_edge_last_longer_up_to_a_limit():
    network = Network(1, find_profile("reference"), max_nodes=10)
    for value in (0.0, 1.0):
        network.add(np.array([value]), 1.0)
    granted = []
    for _ in range(9):
        network.link(0, 1)
        granted.append(int(network.granted[1, 0]))
    assert granted == [20, 40, 60, 80, 100, 120, 140, 150, 150]
    network.ages[0, 1] = network.ages[1, 0] = 0  # deleted: the next one begins anew
    network.link(0, 1)
    assert network.granted[0, 1] == 20


def test_with_the_usual_bound_nothing_is_forgotten_within_the_longest_published_stream():
    network = Network(1, find_profile("reference"))
    assert network.max_nodes == MAX_NODES
    assert min(network.lifetimes) > 33_590  # nodes of all parties, fashion-mnist


def test_the_threshold_rises_without_room_and_falls_back_to_the_estimate():
    network = Network(1, find_profile("reference"), max_nodes=10)
    for value in range(10):
        network.add(np.array([float(value)]), 1.0)
    network.threshold = network.estimate = 0.2
    network.seek_room(0.9)
    assert network.threshold > 0.2
    for _ in range(100):
        network.seek_room(0.1)
    assert network.threshold == 0.2
    network.keep(np.arange(9))
    network.seek_room(0.9)
    assert network.threshold == 0.2  # the row makes a node


def test_a_state_of_before_grants_and_estimates_is_read():
    network = three_nodes()
    network.threshold = network.estimate = 0.3
    state = network.state()
    del state["granted"], state["estimate"]
    again = Network.from_state(state)
    assert again.estimate == 0.3
    assert again.granted.shape == again.ages.shape
    assert (again.granted == again.lifetimes[2]).all()
