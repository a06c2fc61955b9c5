import numpy as np

from consilience.baselines import FedAvg, LocalNetworks


def test_one_institution_is_local_training(unequal):
    X, y, _ = unequal
    settings = {"n_epochs": 10, "momentum": 0.5, "random_state": 0}
    federated = FedAvg(n_rounds=1, **settings).fit(X, y)
    np.testing.assert_array_equal(
        federated.networks_, LocalNetworks(**settings).fit(X, y).networks_
    )


def test_one_round_is_the_mean_of_local_networks_weighted_by_rows(unequal):
    X, y, parties = unequal
    settings = {"n_epochs": 2, "momentum": 0.5, "random_state": 0}
    federated = FedAvg(n_rounds=1, **settings).fit(X, y, parties)
    local = LocalNetworks(**settings).fit(X, y, parties)
    mean = np.average(local.networks_, axis=0, weights=[3, 20, 40, 50, 70, 117])
    np.testing.assert_allclose(federated.networks_, np.tile(mean, (6, 1)), atol=1e-6)


def test_bytes_are_networks_in_single_precision(unequal):
    model = FedAvg(n_rounds=3, n_epochs=1, random_state=0).fit(*unequal)
    n_parameters = 7 * 64 + 65 * 32 + 33 * 3
    assert model.bytes_up_ == 3 * 4 * n_parameters
    assert model.bytes_down_ == 4 * 4 * n_parameters
