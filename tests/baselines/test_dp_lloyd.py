import numpy as np

from consilience.baselines.dp_lloyd import private_centres


def test_centres_stay_in_the_cube_whatever_the_noise():
    X = np.random.default_rng(0).uniform(-1, 1, size=(50, 30))
    centres = private_centres(X, 7, 0.01, np.random.default_rng(1))
    assert centres.shape == (7, 30)
    assert np.abs(centres).max() <= 1


def test_noise_follows_the_stated_scale():
    """With all rows at the origin in one cluster a centre is noise over count: compare spreads.

    The sum of one column has Laplace noise of scale (d + 1) T / epsilon; its mean absolute value
    is that scale. 2,000 draws put the ratio within 8 % with a false-alarm rate below 1e-3.
    """
    n, d, epsilon = 100_000, 4, 2.0
    X = np.zeros((n, d))
    rng = np.random.default_rng(0)
    draws = np.concatenate(
        [private_centres(X, 1, epsilon, rng, n_steps=1).ravel() * n for _ in range(500)]
    )
    assert abs(np.abs(draws).mean() / ((d + 1) / epsilon) - 1) < 0.08
