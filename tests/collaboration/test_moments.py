import numpy as np
import pytest

from consilience.collaboration.moments import (
    Scaled,
    column_means,
    column_spreads,
    every,
    row_blocks,
    scatter,
)
from consilience.collaboration.paging import BLOCK_ROWS
from consilience.mapped import in_file

X = np.random.default_rng(0).normal(5, 3, size=(2 * BLOCK_ROWS + 7, 3))


def test_moments_are_those_of_numpy():
    np.testing.assert_allclose(column_means(X), X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(column_spreads(row_blocks(X)), X.std(axis=0), rtol=1e-12)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(scatter(X, X.mean(axis=0)), centred.T @ centred, rtol=1e-12)


def test_moments_are_the_same_wherever_rows_lie(tmp_path):
    lying = in_file(tmp_path)(len(X), row_blocks(X))
    assert column_means(lying).tolist() == column_means(X).tolist()
    assert scatter(lying, X[0]).tolist() == scatter(X, X[0]).tolist()


def test_rows_in_other_units_are_never_copied_whole():
    scaled = Scaled(X, np.ones(3), np.full(3, 2.0))
    assert scaled.shape == X.shape
    np.testing.assert_allclose(column_means(scaled), ((X - 1) / 2).mean(axis=0))
    assert max(map(len, row_blocks(scaled))) == BLOCK_ROWS


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_spreads_survive_a_large_mean(offset):
    blocks = [X[:1000] + offset, X[1000:1001] + offset, X[1001:] + offset]
    np.testing.assert_allclose(column_spreads(blocks), X.std(axis=0), rtol=1e-6)


@pytest.mark.parametrize("k", [1, 7, BLOCK_ROWS + 1])
def test_every_row_so_far_apart_is_taken_across_blocks(k):
    np.testing.assert_array_equal(every(X, k), X[::k])
