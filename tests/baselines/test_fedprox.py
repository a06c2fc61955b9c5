import numpy as np

from consilience.baselines import FedAvg, FedProx


def test_without_a_pull_it_is_fedavg(unequal):
    X, y, parties = unequal
    one, two = (m(n_epochs=2, random_state=0) for m in (FedAvg, lambda **s: FedProx(mu=0, **s)))
    np.testing.assert_array_equal(
        one.fit(X, y, parties).networks_, two.fit(X, y, parties).networks_
    )


def test_the_stronger_the_pull_the_less_it_moves(unequal):
    X, y, parties = unequal
    first = FedProx(n_rounds=1, n_epochs=1, learning_rate=1e-9, random_state=0)
    start = first.fit(X, y, parties).networks_
    moved = [
        np.linalg.norm(FedProx(mu=mu, random_state=0).fit(X, y, parties).networks_ - start)
        for mu in (0.0, 0.1, 1.0, 10.0)
    ]
    assert moved == sorted(moved, reverse=True)
