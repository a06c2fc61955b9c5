import numpy as np

from consilience.baselines import LocalNetworks


def test_an_institution_learns_what_it_learns_alone(unequal):
    X, y, parties = unequal
    both = LocalNetworks(random_state=0).fit(X, y, parties)
    changed = X.copy()
    changed[parties != "e"] = 0
    alone = LocalNetworks(random_state=0).fit(changed, y, parties)
    place = both.parties_.index("e")
    np.testing.assert_array_equal(both.networks_[place], alone.networks_[place])


def test_nothing_is_exchanged(unequal):
    model = LocalNetworks(n_epochs=1, random_state=0).fit(*unequal)
    assert model.bytes_up_ == model.bytes_down_ == 0
