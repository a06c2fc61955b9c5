import numpy as np

from consilience.baselines import Ditto, FedAvg, LocalNetworks

SETTINGS = {"learning_rate": 0.01, "momentum": 0.5, "random_state": 0}


def test_without_a_pull_it_is_local_training(unequal):
    X, y, parties = unequal
    own = Ditto(pull=0, n_rounds=1, n_epochs=7, **SETTINGS).fit(X, y, parties)
    local = LocalNetworks(n_epochs=7, **SETTINGS).fit(X, y, parties)
    np.testing.assert_array_equal(own.networks_, local.networks_)


def test_a_strong_pull_leads_to_the_common_network(unequal):
    X, y, parties = unequal
    own = Ditto(pull=90.0, n_rounds=6, **SETTINGS).fit(X, y, parties).networks_
    common = FedAvg(n_rounds=5, **SETTINGS).fit(X, y, parties).networks_
    far = Ditto(pull=0.0, n_rounds=6, **SETTINGS).fit(X, y, parties).networks_
    assert np.linalg.norm(own - common) < 0.1 * np.linalg.norm(far - common)


def test_the_own_network_is_not_sent(unequal):
    model = Ditto(n_rounds=2, n_epochs=1, random_state=0).fit(*unequal)
    assert model.bytes_up_ == model.bytes_down_ == 2 * model.networks_[0].nbytes
