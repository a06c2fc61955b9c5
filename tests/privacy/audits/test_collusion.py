import numpy as np
import pytest

from consilience.privacy.audits.collusion import curved_inverse, invert, invert_with_prior
from consilience.privacy.audits.scores import column_r2


@pytest.fixture
def planted():
    """A victim whose map f is known to the test: 5 columns, 4 dimensions kept."""
    rng = np.random.default_rng(0)
    C = rng.normal(size=(5, 5))
    X, like = rng.normal(size=(300, 5)) @ C, rng.normal(size=(300, 5)) @ C
    A, wrong = 3 * rng.normal(size=(6, 5)), 3 * rng.normal(size=(6, 5))
    F = np.linalg.qr(rng.normal(size=(5, 4)))[0]
    return X, like, A, wrong, lambda rows: (rows - 0.7) @ F


def test_an_invertible_map_is_undone_with_one_anchor_row_more_than_columns(planted):
    X, _, A, _, _ = planted
    rng = np.random.default_rng(1)
    F = rng.normal(size=(5, 5))
    np.testing.assert_allclose(invert(A, (A - 2) @ F, (X - 2) @ F), X, atol=1e-8)


def test_prior_recovers_what_the_map_dropped(planted):
    X, like, A, _, f = planted
    mean, covariance = like.mean(axis=0), np.cov(like.T)
    plain = column_r2(X, invert(A, f(A), f(X)))
    prior = column_r2(X, invert_with_prior(A, f(A), f(X), mean, covariance))
    assert np.median(prior) > 0.9
    assert np.median(prior) > np.median(plain)


def test_prior_attack_attains_the_error_of_the_true_conditional_mean(planted):
    X, _, A, _, f = planted
    mean, C = X.mean(axis=0), np.cov(X.T)
    rebuilt = invert_with_prior(A, f(A), f(X), mean, C)
    # Least squares of the rows on their own representation: no affine guess does better.
    S = np.hstack([f(X), np.ones((len(X), 1))])
    best = S @ np.linalg.lstsq(S, X, rcond=None)[0]
    np.testing.assert_allclose(column_r2(X, rebuilt), column_r2(X, best), atol=1e-6)


def test_wrong_anchor_rebuilds_nothing(planted):
    X, like, A, wrong, f = planted
    mean, covariance = like.mean(axis=0), np.cov(like.T)
    assert np.median(column_r2(X, invert(wrong, f(A), f(X)))) <= 0
    controls = []
    for seed in range(20):
        true, other = 5 * np.random.default_rng(seed).normal(size=(2, 500, 5))
        guess = invert_with_prior(other, f(true), f(X), mean, covariance)
        controls.append(np.median(column_r2(X, guess)))
    assert np.mean(controls) <= 0


def test_curved_inverse_undoes_what_an_affine_one_cannot():
    rng = np.random.default_rng(0)
    A, X = rng.uniform(-2, 2, size=(800, 2)), rng.uniform(-1.5, 1.5, size=(200, 2))

    def f(rows):
        return np.tanh(rows) * [1.0, 5.0]

    affine = column_r2(X, invert(A, f(A), f(X)))
    curved = column_r2(X, curved_inverse(A, f(A), f(X)))
    assert affine.max() < 0.99 < curved.min()


def test_an_attacker_who_knows_the_noise_shrinks_and_loses_less(planted):
    X, like, A, _, f = planted
    rng = np.random.default_rng(1)
    sent = f(X + 3 * rng.normal(size=X.shape))
    mean, covariance = like.mean(axis=0), np.cov(like.T)
    naive = invert_with_prior(A, f(A), sent, mean, covariance)
    knowing = invert_with_prior(A, f(A), sent, mean, covariance, 9 * np.eye(5))
    assert np.median(column_r2(X, naive)) < 0 < np.median(column_r2(X, knowing))
