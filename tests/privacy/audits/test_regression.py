import numpy as np

from consilience.privacy.audits.regression import fit_affine


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
