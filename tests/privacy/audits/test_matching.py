import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from consilience.privacy.audits.matching import (
    PublicKnowledge,
    correlate,
    match_with_oracle,
    match_without_oracle,
)
from consilience.privacy.audits.scores import column_r2

STEPS = np.linspace(0, 1, 21)


def public(like, correlated=True, quantiles=True):
    """What is known of columns whose anchor has mean 0 and standard deviation 2."""
    m = like.shape[1]
    return PublicKnowledge(
        np.zeros(m),
        np.full(m, 2.0),
        like.min(axis=0),
        like.max(axis=0),
        np.quantile(like, STEPS, axis=0) if quantiles else None,
        correlate(like) if correlated else None,
    )


def hide(X, rng):
    """Return what unmixing finds: columns in another order, some upside down, in anchor units."""
    order, signs = rng.permutation(X.shape[1]), rng.choice([-1.0, 1.0], size=X.shape[1])
    return X[:, order] * signs / 2.0


@pytest.fixture
def patients():
    """Standardised columns, many of much the same shape, and as many rows of other patients."""
    rng = np.random.default_rng(0)
    X = StandardScaler().fit_transform(load_breast_cancer().data)
    X = X[rng.permutation(len(X))]
    return X[:284], X[284:], rng


def test_columns_of_different_shape_are_told_by_their_quantiles():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.exponential(size=900), rng.normal(5, 1, 900), rng.uniform(size=900)])
    guess = match_without_oracle(hide(X[:450], rng), public(X[450:], correlated=False))
    np.testing.assert_allclose(guess, X[:450])


def test_correlations_tell_columns_that_quantiles_confuse(patients):
    X, like, rng = patients
    found = hide(X, rng)
    by_quantiles = match_without_oracle(found, public(like, correlated=False))
    by_both = match_without_oracle(found, public(like))
    assert np.median(column_r2(X, by_quantiles)) < 0.9
    assert np.median(column_r2(X, by_both)) > 0.99


def test_oracle_needs_nothing_published(patients):
    X, like, rng = patients
    known = public(like, correlated=False, quantiles=False)
    np.testing.assert_allclose(match_with_oracle(hide(X, rng), known, X), X)


def test_column_without_a_component_is_guessed_by_its_middle(patients):
    X, like, rng = patients
    guess = match_without_oracle(hide(X[:, :25], rng), public(like))
    assert guess.shape == X.shape
    assert (guess.std(axis=0) > 1e-9).sum() == 25


def test_constant_columns_do_not_disturb(patients):
    X, like, rng = patients
    X[:, 2] = like[:, 2] = 3.0
    assert np.isfinite(match_without_oracle(hide(X, rng), public(like))).all()
