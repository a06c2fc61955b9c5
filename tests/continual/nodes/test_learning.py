import numpy as np
import pytest

from consilience.continual.nodes.learning import learn, nearest
from consilience.continual.nodes.network import Network
from consilience.continual.nodes.profile import find_profile


def settled(topology, positions, threshold, sigma=1.0):
    """Make a network past its start, with nodes where the test wants them."""
    network = Network(1, find_profile("reference"), topology=topology)
    for value in positions:
        network.add(np.array([float(value)]), sigma)
    network.n_active = network.n_nodes
    network.threshold = threshold
    return network


def test_case_one_makes_a_node():
    network = settled(True, [0, 1, 2], threshold=0.1)
    learn(network, np.array([[50.0]]))
    assert network.positions.ravel().tolist() == [0.0, 1.0, 2.0, 50.0]
    assert network.counts[3] == 1


def test_case_two_moves_the_winner_by_its_count_and_ages_its_edges():
    network = settled(True, [0, 10, 20], threshold=0.5)
    network.ages[0, 1] = network.ages[1, 0] = 3
    learn(network, np.array([[0.5]]))
    assert network.positions.ravel().tolist() == [0.25, 10.0, 20.0]
    assert network.counts[:3].tolist() == [2, 1, 1]
    assert network.ages[0, 1] == network.ages[1, 0] == 4


def test_case_three_ties_the_winners_and_moves_the_neighbour_a_tenth():
    network = settled(True, [0, 1, 20], threshold=0.9)
    learn(network, np.array([[0.4]]))
    assert network.ages[0, 1] == network.ages[1, 0] == 1
    np.testing.assert_allclose(network.positions.ravel(), [0.2, 1 + (0.4 - 1) / 10, 20])


def test_without_topology_the_second_winner_moves_a_hundredth():
    network = settled(False, [0, 1, 20], threshold=0.9)
    learn(network, np.array([[0.4]]))
    np.testing.assert_allclose(network.positions.ravel(), [0.2, 1 + (0.4 - 1) / 100, 20])
    assert network.ages.size == 0


def test_isolated_nodes_go_every_lambda_points_and_the_room_is_filled_again():
    network = settled(True, [0, 1, 20], threshold=0.9)
    network.n_seen = 5  # lambda is 2 n_active = 6
    learn(network, np.array([[0.4]]))
    assert network.n_nodes == 2
    assert network.filling
    learn(network, np.array([[0.4]]))
    assert network.n_nodes == 3, "the next point is a node whatever it is"
    assert not network.filling


def test_network_without_any_edge_is_never_emptied():
    network = settled(True, [0, 50, 100], threshold=0.0)
    network.n_seen = 5
    learn(network, np.array([[200.0]]))
    assert network.n_nodes == 4


@pytest.mark.parametrize("n", [1, 2, 9])
def test_fewer_than_ten_points_all_become_nodes(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    network = Network(2, find_profile("reference"))
    learn(network, X)
    np.testing.assert_array_equal(network.positions, X)
    assert network.n_active == 0
    assert nearest(X, network.positions, network.sigma).tolist() == list(range(n))


def test_ten_duplicates_settle_at_once_with_a_threshold_of_zero():
    network = Network(3, find_profile("reference"))
    learn(network, np.ones((30, 3)))
    assert network.n_active == network.n_nodes == 10
    assert network.threshold == 0.0


def test_windows_give_what_one_pass_gives():
    X = np.random.default_rng(3).normal(size=(400, 3))
    once, often = (Network(3, find_profile("reference")) for _ in range(2))
    learn(once, X)
    for start in range(0, 400, 7):
        learn(often, X[start : start + 7])
    np.testing.assert_array_equal(once.positions, often.positions)
    np.testing.assert_array_equal(once.edges(), often.edges())


def test_cae_makes_more_nodes_than_cae_fc():
    X = np.random.default_rng(0).normal(size=(2000, 2))
    cae, cae_fc = (
        Network(2, find_profile("reference"), similarity=s) for s in ("cim", "correntropy")
    )
    learn(cae, X)
    learn(cae_fc, X)
    assert cae.n_active > cae_fc.n_active


def test_a_tie_goes_to_the_lowest_index():
    assert nearest(np.array([[0.0]]), np.array([[1.0], [-1.0], [1.0]]), 1.0).tolist() == [0]
