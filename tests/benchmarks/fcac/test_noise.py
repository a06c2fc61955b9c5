import numpy as np
from scipy import stats

from benchmarks.fcac.noise import published_noise


def test_noise_is_laplace_with_the_range_of_the_private_rows():
    X = np.random.default_rng(0).uniform(0, 8, size=(5000, 1))
    X[:2, 0] = 0.0, 8.0
    drawn = (published_noise(X, 4.0, seed=1) - X).ravel()
    assert stats.kstest(drawn, "laplace", args=(0, 8 / 4.0)).pvalue > 1e-3  # seeded: no alarm


def test_published_flaws_are_kept_where_they_belong():
    X = np.column_stack([np.arange(4.0), np.full(4, 7.0)])
    noisy = published_noise(X, 15.0, seed=0)
    np.testing.assert_array_equal(noisy[:, 1], X[:, 1])  # a constant feature receives none
    np.testing.assert_array_equal(published_noise(X, 15.0, seed=0), noisy)  # one seed for all
