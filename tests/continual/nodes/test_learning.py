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
    network.link(0, 1)
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


def clouds(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 20 * rng.integers(3, size=(n, 1))


@pytest.mark.parametrize("first", [9, 10, 30])
@pytest.mark.parametrize("topology", [True, False])
def test_equal_first_rows_wait_for_others_before_anything_is_estimated(first, topology):
    network = Network(2, find_profile("reference"), topology=topology)
    learn(network, np.ones((first, 2)))
    assert network.n_active == 0
    if first >= 10:
        assert network.n_nodes < 10 <= network.counts[0]
    learn(network, clouds(1500))
    assert network.threshold > 0
    assert network.n_nodes < 150


def test_copies_become_wins_of_the_first_of_them():
    network = Network(1, find_profile("reference"), topology=False)
    learn(network, np.array([[1.0], [2.0]] * 5))
    assert network.positions.tolist() == [[1.0], [2.0]]
    assert network.counts[:2].tolist() == [5, 5]
    assert network.ids[:2].tolist() == [0, 1]
    assert network.used[:2].tolist() == [9, 10]


@pytest.mark.parametrize("topology", [True, False])
def test_nodes_that_won_nothing_for_long_are_forgotten(topology):
    network = Network(2, find_profile("reference"), topology=topology, max_nodes=16)
    learn(network, clouds(400))
    learn(network, clouds(1700) + 500.0)  # none of the old nodes wins any more
    assert network.n_nodes <= 16
    assert (network.positions > 400).all()
    block = network.ages[: network.n_nodes, : network.n_nodes]
    assert (block == block.T).all()


def test_after_a_jump_that_widened_the_kernel_everything_is_estimated_again():
    network = Network(2, find_profile("reference"), max_nodes=16)
    learn(network, clouds(400))
    before = network.sigma
    learn(network, clouds(1) + 1e4)
    assert network.sigma > 10 * before
    learn(network, clouds(3000, seed=1) + 1e4)
    assert (network.positions > 9000).all()
    assert network.sigma < 10 * before


def test_kernels_made_during_a_jump_do_not_stay_as_wide_as_the_jump():
    rng = np.random.default_rng(22)
    group, angle = rng.integers(2, size=(2, 3000)), rng.uniform(0, 2 * np.pi, (2, 3000))
    rings = 10 * (1 + group)[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=2)
    rings += rng.normal(size=rings.shape) * 0.6
    network = Network(2, find_profile("reference"), max_nodes=64)
    learn(network, rings[0])
    before = network.sigma
    learn(network, rings[1] + 250.0)
    assert network.sigma < 2 * before
    assert (network.positions > 200).all()


def test_where_ten_dimensions_leave_no_room_more_counts_as_near():
    rng = np.random.default_rng(0)
    network = Network(10, find_profile("reference"), max_nodes=32)
    learn(network, rng.normal(size=(2000, 10)))
    assert network.threshold > 1.2 * network.estimate
    roomy = Network(10, find_profile("reference"))
    learn(roomy, rng.normal(size=(500, 10)))
    assert roomy.threshold == roomy.estimate


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
