import numpy as np
import pytest

from consilience.privacy.audits.matching import (
    PublicKnowledge,
    match_with_oracle,
    match_without_oracle,
)
from consilience.privacy.audits.scores import column_r2
from consilience.privacy.audits.unmixing import unmix


@pytest.fixture
def study():
    """Three parties, four columns of different shape, three dimensions kept by each."""
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.exponential(size=300),
            rng.normal(size=300),
            rng.uniform(size=300),
            rng.beta(2, 8, 300),
        ]
    )
    lower, upper = X.min(axis=0), X.max(axis=0)
    Fs = [np.linalg.qr(rng.normal(size=(4, 3)))[0] for _ in range(3)]
    # The victim drops the direction in which its rows vary least.
    Fs[0] = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:3].T
    return X, lower, upper, Fs, rng


def rebuilt(study, anchor, sd):
    X, lower, upper, Fs, _ = study
    quantiles = np.quantile(X, np.linspace(0, 1, 21), axis=0)
    known = PublicKnowledge((lower + upper) / 2, sd, lower, upper, quantiles)
    found = unmix([anchor @ F for F in Fs], 4, seed=0).apply(X @ Fs[0])
    return match_without_oracle(found, known), match_with_oracle(found, known, X)


def test_analyst_alone_unmixes_uniform_anchors(study):
    X, lower, upper, Fs, rng = study
    anchor = rng.uniform(lower, upper, size=(3000, 4))
    blind, oracle = rebuilt(study, anchor, (upper - lower) / np.sqrt(12))
    # The victim dropped one of four directions: not all can come back.
    S = np.hstack([X @ Fs[0], np.ones((300, 1))])
    best = column_r2(X, S @ np.linalg.lstsq(S, X, rcond=None)[0])
    assert np.median(column_r2(X, oracle)) > np.median(best) - 0.1
    assert np.median(column_r2(X, blind)) > 0.5


def test_gaussian_anchors_cannot_be_unmixed(study):
    X, lower, upper, _, rng = study
    sd = (upper - lower) / 4
    uniform = rng.uniform(lower, upper, size=(3000, 4))
    gaussian = (lower + upper) / 2 + sd * rng.normal(size=(3000, 4))
    of_uniform = rebuilt(study, uniform, (upper - lower) / np.sqrt(12))[0]
    of_gaussian = rebuilt(study, gaussian, sd)[0]
    assert np.median(column_r2(X, of_gaussian)) < np.median(column_r2(X, of_uniform)) - 0.3


def test_bounds_alone_still_assign_every_component(study):
    X, lower, upper, Fs, rng = study
    anchor = rng.uniform(lower, upper, size=(500, 4))
    sd = (upper - lower) / np.sqrt(12)
    known = PublicKnowledge((lower + upper) / 2, sd, lower, upper)
    found = unmix([anchor @ Fs[0]], 4, seed=0).apply(X @ Fs[0])
    guess = match_without_oracle(found, known)
    assert guess.shape == X.shape
    assert np.isfinite(guess).all()
    assert (guess.std(axis=0) > 1e-9).sum() == 3, (
        "three components were sent, so three columns vary"
    )
