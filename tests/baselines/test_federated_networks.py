import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from consilience.baselines import Ditto, FedAvg, FedClust, FedProx, LocalNetworks

METHODS = [LocalNetworks, FedAvg, FedProx, Ditto, FedClust]


@pytest.mark.parametrize("method", METHODS)
def test_learns_more_than_the_commonest_class(method, unequal):
    X, y, parties = unequal
    model = method(random_state=0).fit(X, y, parties)
    assert model.score(X, y, parties) > 0.6
    proba = model.predict_proba(X, parties)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X, parties))


@pytest.mark.parametrize("method", METHODS)
def test_seed_repeats_the_result(method, unequal):
    X, y, parties = unequal
    one, two = (method(n_epochs=2, random_state=4).fit(X, y, parties) for _ in range(2))
    np.testing.assert_array_equal(one.networks_, two.networks_)


def test_rounds_can_be_watched_and_end_as_fit_does(unequal):
    X, y, parties = unequal
    watched = FedAvg(n_rounds=3, random_state=0)
    scores = [watched.score(X, y, parties) for _ in watched.rounds(X, y, parties)]
    fitted = FedAvg(n_rounds=3, random_state=0).fit(X, y, parties)
    assert len(scores) == 3
    np.testing.assert_array_equal(watched.networks_, fitted.networks_)


def test_rows_of_an_unknown_institution_are_refused(unequal):
    X, y, parties = unequal
    model = FedAvg(n_rounds=1, random_state=0).fit(X, y, parties)
    with pytest.raises(ValueError, match=r"parties names \['q'\]"):
        model.predict(X[:1], ["q"])
    with pytest.raises(ValueError, match="Name the institution of each row"):
        model.predict(X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_rounds": 0}, "n_rounds == 0"),
        ({"learning_rate": 0.0}, "learning_rate == 0"),
        ({"momentum": 1.0}, "momentum == 1"),
    ],
)
def test_settings_name_value_and_rule(settings, message, unequal):
    X, y, parties = unequal
    with pytest.raises(ValueError, match=message):
        FedAvg(**settings).fit(X, y, parties)


def test_networks_that_diverge_say_so(unequal):
    with pytest.warns(ConvergenceWarning, match="learning_rate == 1000.0 is too high"):
        model = FedAvg(learning_rate=1000.0, n_rounds=2, random_state=0).fit(*unequal)
    assert model.predict(unequal[0], unequal[2]).shape == unequal[1].shape
