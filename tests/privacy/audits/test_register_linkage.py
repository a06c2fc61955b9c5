import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from consilience.privacy.audits.register_linkage import link_with_register


def contribute(X, n_kept, seed):
    """Return what a party sends of its rows, turned as nobody knows."""
    rng = np.random.default_rng(seed)
    mean = X.mean(axis=0)
    axes = np.linalg.svd(X - mean, full_matrices=False)[2][:n_kept].T
    return (X - mean) @ axes @ np.linalg.qr(rng.normal(size=(n_kept, n_kept)))[0]


def scaled(X):
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


@pytest.mark.parametrize("X", [load_wine().data, load_diabetes(scaled=False).data])
@pytest.mark.parametrize("one_in", [1, 2])
def test_the_analyst_alone_names_everybody_in_a_register(X, one_in):
    register = scaled(X)
    part = np.random.default_rng(0).permutation(len(X))[: len(X) // one_in]
    sent = contribute(register[part], register.shape[1] // 2 + 1, seed=0)
    links = link_with_register(sent, register)
    assert links.recognised(register, register[part]) >= 0.9
    assert np.median(links.distance) < 1e-6


def test_a_register_of_other_people_names_nobody_and_shows_it():
    register = scaled(load_diabetes(scaled=False).data)
    sent = contribute(register[::2], 5, seed=0)
    links = link_with_register(sent, register[1::2])
    assert np.median(links.distance) > 0.01


def test_noise_as_wide_as_the_spread_hides_people():
    register = scaled(load_diabetes(scaled=False).data)
    sent = contribute(register, 5, seed=0)
    sent = sent + np.random.default_rng(0).normal(size=sent.shape) * sent.std(axis=0)
    assert link_with_register(sent, register).recognised(register, register) < 0.1


def test_a_person_just_like_another_counts_as_recognised():
    register = np.repeat(scaled(load_wine().data), 2, axis=0)
    sent = contribute(register, 7, seed=0)
    assert link_with_register(sent, register).recognised(register, register) == 1.0
