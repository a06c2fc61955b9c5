"""The mix of classes of an institution, and what it changes."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from consilience.collaboration.learning.label_mix import (
    concentration,
    count_mixes,
    likeliest_sharpness,
    log_ratios,
    reweigh,
)


def test_bayes_theorem_worked_by_hand():
    # Of all rows half are ill, of this institution's nine in ten: 1 : 1 becomes 9 : 1.
    told = reweigh(np.array([[0.5, 0.5]]), np.log([0.9 / 0.5, 0.1 / 0.5]))
    assert told == pytest.approx(np.array([[0.9, 0.1]]))


def test_the_posterior_of_another_mix_is_that_of_the_densities():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2)) * 2
    density = np.stack([multivariate_normal([k, 0]).pdf(x) for k in (-1, 0, 1)], axis=1)
    pooled, own = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7])
    scores = density * pooled / (density * pooled).sum(axis=1, keepdims=True)
    expected = density * own / (density * own).sum(axis=1, keepdims=True)
    certain = scores.min(axis=1) > 1e-3
    assert certain.sum() > 50
    told = reweigh(scores, np.log(own / pooled))
    assert np.allclose(told[certain], expected[certain])


def test_mixes_that_differ_by_chance_are_left_alone():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(15, [0.5, 0.3, 0.2], size=40).astype(float)
    assert np.abs(log_ratios(counts)).max() < 0.3
    # Taken at their word, the same counts would differ by more than a factor of two.
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert np.abs(np.log(np.maximum(shares, 0.02) / 0.3)).max() > 0.7


@pytest.mark.parametrize("s", [0.3, 3.0, 30.0])
def test_the_concentration_that_made_the_mixes_is_found(s):
    rng = np.random.default_rng(2)
    mixes = rng.dirichlet(s * np.array([0.5, 0.3, 0.2]), size=400)
    counts = np.array([rng.multinomial(60, mix) for mix in mixes]).astype(float)
    assert concentration(counts) == pytest.approx(s, rel=0.2)


def test_a_class_that_nobody_has_is_never_told():
    ratios = log_ratios(np.array([[8.0, 0.0, 2.0], [1.0, 0.0, 9.0]]))
    assert (ratios[:, 1] == 0).all()
    assert np.isfinite(ratios).all()


def test_scores_below_zero_of_a_regression_are_weighed_too():
    told = reweigh(np.array([[-0.2, 1.1], [0.4, 0.6]]), np.log([4.0, 0.5]))
    assert told.argmax(axis=1).tolist() == [1, 0]
    assert np.allclose(told.sum(axis=1), 1)


def test_one_institution_has_the_mix_of_all():
    assert np.allclose(log_ratios(np.array([[3.0, 5.0]])), 0)


def test_rows_are_counted_where_they_are_held():
    counts = count_mixes(np.eye(3)[[0, 0, 2, 1]], np.array([1, 1, 1, 0]), 2)
    assert counts.tolist() == [[0, 1, 0], [2, 0, 1]]


@pytest.mark.parametrize("power", [0.3, 1.0, 3.0])
def test_the_power_that_made_scores_too_sure_is_found_again(power):
    rng = np.random.default_rng(3)
    honest = rng.dirichlet([2.0, 2.0, 2.0], size=4000)
    own = np.log([2.0, 1.0, 0.5])
    told = reweigh(honest, own)
    truth = np.array([rng.choice(3, p=p) for p in told])
    spoilt = honest ** (1 / power)
    spoilt /= spoilt.sum(axis=1, keepdims=True)
    assert likeliest_sharpness(spoilt, own, truth) == pytest.approx(power, rel=0.1)
    certain = spoilt.min(axis=1) > 1e-3
    assert certain.sum() > 1000
    assert np.allclose(reweigh(spoilt, own, power)[certain], told[certain])
