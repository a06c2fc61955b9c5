import numpy as np

from benchmarks.problems import standardise


def test_columns_get_mean_0_and_spread_1_and_constant_ones_stay_constant():
    X = np.random.default_rng(0).normal(5, 3, size=(50, 3))
    X[:, 1] = 7.0
    np.testing.assert_allclose(standardise(X).mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standardise(X).std(axis=0), [1, 0, 1])
