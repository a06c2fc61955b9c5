"""Discrete Gaussian noise: what it costs, how wide it is, and what is refused."""

from math import exp, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from consilience.exceptions import BudgetError
from consilience.privacy.concentrated import ConcentratedNoise, rho_within


def needed_delta(epsilon, rho):
    """Return the delta of a Gaussian of this rho, exactly (Balle and Wang, 2018)."""
    mu = sqrt(2 * rho)
    return norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 4.0, 10.0])
def test_the_allowance_keeps_epsilon_and_delta_and_wastes_little(epsilon):
    rho = rho_within(epsilon, 1e-6)
    assert needed_delta(epsilon, rho) <= 1e-6
    assert needed_delta(epsilon, 1.5 * rho) > 1e-6


def test_noise_is_as_wide_as_stated():
    noise = ConcentratedNoise(1.0, 1e-6)
    drawn = noise.add(np.zeros(20_000, dtype=np.int64), sensitivity=1000, share=1.0)
    # The standard deviation of 20,000 draws is off by more than 3 % once in 10^9 runs.
    assert abs(drawn.std() / noise.scale(1000, 1.0) - 1) < 0.03
    assert abs(drawn.mean()) < 6 * noise.scale(1000, 1.0) / sqrt(20_000)


def test_draws_add_up_and_none_goes_beyond_the_allowance():
    noise = ConcentratedNoise(1.0, 1e-6, insecure_seed=0)
    for _ in range(4):
        noise.add(np.arange(3), sensitivity=7, share=0.25)
    assert noise.spent == pytest.approx(noise.rho)
    assert noise.spent <= noise.rho
    with pytest.raises(BudgetError, match="nothing was drawn"):
        noise.add(np.arange(3), sensitivity=1, share=1e-6)


def test_a_seed_repeats_and_the_system_does_not():
    def draw(seed):
        noise = ConcentratedNoise(1.0, 1e-6, insecure_seed=seed)
        return noise.add(np.zeros(8, dtype=np.int64), sensitivity=1000, share=0.5).tolist()

    assert draw(3) == draw(3)
    assert draw(None) != draw(None)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-6, float("nan")])
def test_a_delta_that_promises_nothing_is_refused(delta):
    with pytest.raises(ValueError, match="delta"):
        ConcentratedNoise(1.0, delta)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("inf")])
def test_an_epsilon_that_is_none_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon"):
        ConcentratedNoise(epsilon, 1e-6)
