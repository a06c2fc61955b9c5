import numpy as np
import pytest
from sklearn.datasets import load_wine

from consilience.collaboration.audit.rehearsal import rehearse
from consilience.collaboration.audit.scene import Setting

X = load_wine().data
BOUNDS = X.min(axis=0), X.max(axis=0)


@pytest.mark.parametrize("scaling", ["none", "bounds"])
def test_keeping_every_direction_loses_nothing(scaling):
    terms = Setting(scaling=scaling, n_components=13)
    assert rehearse(X, BOUNDS, terms, 3, np.random.default_rng(0)) == 1


def test_random_directions_lose_more_than_principal_ones():
    rng = np.random.default_rng(0)
    principal = Setting(scaling="bounds", n_components=3)
    by_chance = Setting(scaling="bounds", n_components=3, reducer="random")
    mean = [
        np.mean([rehearse(X, BOUNDS, t, 3, rng) for _ in range(3)]) for t in (principal, by_chance)
    ]
    assert mean[0] > mean[1] + 0.1


def test_the_alignment_of_the_study_is_rehearsed():
    far = BOUNDS[0], BOUNDS[0] + 50 * np.ptp(X, axis=0)
    found = {
        target: rehearse(
            X,
            far,
            Setting(scaling="bounds", n_components=6, target=target),
            3,
            np.random.default_rng(0),
        )
        for target in ("scaled", "population")
    }
    assert found["scaled"] < 0.3
    assert found["population"] > 0.8
