"""The network has the settings of the paper."""

from consilience.collaboration.learning.network import paper_network


def test_settings_of_the_paper():
    network = paper_network(3)
    assert network.hidden_layer_sizes == (64, 32)
    assert (network.solver, network.learning_rate_init, network.momentum) == ("sgd", 0.01, 0.5)
    assert (network.batch_size, network.max_iter, network.random_state) == (32, 50, 3)
    assert not network.nesterovs_momentum
