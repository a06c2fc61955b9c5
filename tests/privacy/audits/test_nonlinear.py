import numpy as np
import pytest
from sklearn.datasets import load_digits

from consilience.privacy.audits.collusion import invert_with_prior
from consilience.privacy.audits.nonlinear import balanced_accuracy, rebuild_from_examples
from consilience.privacy.audits.scores import column_r2


@pytest.fixture(scope="module")
def digits():
    """Pixels that vary most, 6 dimensions kept of 20; the last 497 is a colluder's."""
    X = load_digits().data
    X = X[:, np.argsort(X.std(axis=0))[-20:]]
    mean = X[:400].mean(axis=0)
    F = np.linalg.svd(X[:400] - mean, full_matrices=False)[2][:6].T
    return X[:300], X[1300:], lambda rows: (rows - mean) @ F


def test_curves_rebuild_more_than_the_best_affine_guess(digits):
    X, like, f = digits
    A = np.random.default_rng(0).normal(8, 8, size=(100, 20))
    moments = like.mean(axis=0), np.cov(like.T)
    affine = np.median(column_r2(X, invert_with_prior(A, f(A), f(X), *moments)))
    curved = np.median(column_r2(X, rebuild_from_examples(f(like), like, f(X), seed=0)))
    assert curved > affine + 0.05


def test_examples_under_the_wrong_name_teach_nothing(digits):
    X, like, f = digits
    wrong = f(like)[np.random.default_rng(0).permutation(len(like))]
    assert np.median(column_r2(X, rebuild_from_examples(wrong, like, f(X), seed=0))) <= 0.05


def test_nothing_is_lost_where_an_affine_map_is_right():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6))
    sent = X @ rng.normal(size=(6, 6))
    rebuilt = rebuild_from_examples(sent[100:], X[100:], sent[:100], seed=0)
    assert column_r2(X[:100], rebuilt).min() > 0.999


def test_a_threshold_is_learnt():
    rng = np.random.default_rng(0)
    glucose = rng.normal(100, 20, size=(600, 1))
    X = np.hstack([glucose, glucose > 126])
    rebuilt = rebuild_from_examples(glucose[300:], X[300:], glucose[:300], seed=0)
    assert balanced_accuracy(X[:300], rebuilt, [(1,)], X[300:].mean(axis=0))[0] > 0.95


def test_a_constant_guess_is_as_good_as_chance():
    X = np.eye(3)[np.array([0, 0, 0, 0, 1, 2])]
    flat = np.repeat(X.mean(axis=0)[None], 6, axis=0)
    shares = X.mean(axis=0)
    assert balanced_accuracy(X, flat, [(0, 1, 2)], shares)[0] == pytest.approx(1 / 3)
    assert balanced_accuracy(X, flat, [(0,)], shares)[0] == pytest.approx(1 / 2)
    assert balanced_accuracy(X, X, [(0, 1, 2), (2,)], shares).tolist() == [1.0, 1.0]
