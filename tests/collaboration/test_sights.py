import numpy as np
import pytest

from consilience.collaboration.sights import look


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_moments_of_parts_are_those_of_the_whole(offset):
    X = np.random.default_rng(0).normal(size=(50, 3)) + offset
    [sight] = look(0, [X[:20], X[20:]])
    np.testing.assert_allclose(sight.mean, X.mean(axis=0))
    np.testing.assert_allclose(sight.covariance, np.cov(X.T, bias=True), atol=1e-8)


def test_rows_known_in_part_are_counted_apart():
    X = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, np.nan], [np.nan, np.nan]])
    first, second = sorted(look(0, [X[:2], X[2:]]), key=lambda sight: sight.n_rows)
    assert (first.n_rows, first.known.tolist()) == (1, [True, True])
    assert (second.n_rows, second.known.tolist(), second.mean.tolist()) == (2, [True, False], [4.0])
