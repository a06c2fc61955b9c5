import numpy as np

from consilience.privacy.audits.regression import fit_affine, fit_ridge


def test_planted_affine_map_is_recovered():
    rng = np.random.default_rng(0)
    W, b = rng.normal(size=(3, 2)), rng.normal(size=2)
    S = rng.normal(size=(4, 3)) * [1, 1e3, 1e-3]
    found = fit_affine(S, S @ W + b)
    np.testing.assert_allclose(found.linear, W, rtol=1e-6)
    np.testing.assert_allclose(found.offset, b, rtol=1e-5, atol=1e-8)


def test_too_few_pairs_give_the_least_map():
    found = fit_affine(np.zeros((1, 2)), np.array([[3.0]]))
    assert found.apply(np.ones((1, 2))).item() == 3


def test_ridge_beats_least_squares_where_the_target_has_more_than_the_map():
    rng = np.random.default_rng(0)
    S, W = rng.normal(size=(500, 8)), rng.normal(size=(8, 3))
    T = S @ W + rng.normal(size=(500, 3))
    few = slice(0, 9)
    errors = [
        ((fit(S[few], T[few]).apply(S[9:]) - T[9:]) ** 2).mean() for fit in (fit_affine, fit_ridge)
    ]
    assert errors[1] < errors[0] / 2


def test_ridge_recovers_an_exact_map():
    rng = np.random.default_rng(0)
    S, W = rng.normal(size=(30, 4)), rng.normal(size=(4, 2))
    np.testing.assert_allclose(fit_ridge(S, S @ W + 5).linear, W, atol=1e-6)


def test_ridge_on_a_constant_source_gives_the_mean():
    found = fit_ridge(np.ones((4, 2)), np.arange(4.0)[:, None])
    assert found.apply(np.ones((1, 2))).item() == 1.5
