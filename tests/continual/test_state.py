import numpy as np
import pytest

from consilience.continual.learning import learn
from consilience.continual.network import Network
from consilience.continual.profile import find_profile
from consilience.continual.state import network_state, restore_network


@pytest.mark.parametrize("cut", [3, 15, 200])
@pytest.mark.parametrize("topology", [True, False])
def test_restored_network_goes_on_as_if_nothing_had_happened(cut, topology):
    X = np.random.default_rng(0).normal(size=(500, 3))
    through = Network(3, find_profile("reference"), topology=topology)
    learn(through, X)
    first = Network(3, find_profile("reference"), topology=topology)
    learn(first, X[:cut])
    again = restore_network(network_state(first))
    learn(again, X[cut:])
    np.testing.assert_array_equal(through.positions, again.positions)
    np.testing.assert_array_equal(through.edges(), again.edges())
    assert through.n_deleted == again.n_deleted
