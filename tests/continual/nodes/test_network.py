import numpy as np
import pytest

from consilience.continual.nodes.learning import learn
from consilience.continual.nodes.network import Network
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
