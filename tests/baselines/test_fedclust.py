import numpy as np
import pytest

from consilience.baselines import FedAvg, FedClust
from consilience.baselines.fedclust import group_by_last_layer
from consilience.baselines.stacked_networks import LayerSizes

SETTINGS = {"learning_rate": 0.01, "momentum": 0.5, "n_epochs": 3, "random_state": 0}


def test_only_the_last_layer_is_compared():
    shape = LayerSizes((1, 1, 1))
    networks = np.array([[9.0, 9.0, 0.0, 0.0], [0.0, 0.0, 0.1, 0.0], [9.0, 9.0, 4.0, 3.0]])
    assert group_by_last_layer(networks, shape, 0.5).tolist() == [0, 0, 1]


def test_equal_networks_are_one_group_and_one_institution_too():
    assert group_by_last_layer(np.ones((3, 4)), LayerSizes((1, 1, 1)), 0.0).tolist() == [0, 0, 0]
    assert group_by_last_layer(np.ones((1, 4)), LayerSizes((1, 1, 1)), 0.0).tolist() == [0]


def test_one_group_is_fedavg(unequal):
    X, y, parties = unequal
    clustered = FedClust(threshold=1.0, **SETTINGS).fit(X, y, parties)
    np.testing.assert_array_equal(
        clustered.networks_, FedAvg(**SETTINGS).fit(X, y, parties).networks_
    )
    assert set(clustered.groups_.values()) == {0}


def test_institutions_of_the_same_classes_are_grouped_and_share_a_network(unequal):
    X, y, parties = unequal
    model = FedClust(threshold=0.6, **{**SETTINGS, "n_epochs": 30}).fit(X, y, parties)
    groups, networks = model.groups_, dict(zip(model.parties_, model.networks_, strict=True))
    assert groups["c"] == groups["f"] != groups["e"]
    np.testing.assert_array_equal(networks["c"], networks["f"])


def test_threshold_outside_its_range_is_refused(unequal):
    with pytest.raises(ValueError, match=r"threshold == 1.5"):
        FedClust(threshold=1.5).fit(*unequal)
