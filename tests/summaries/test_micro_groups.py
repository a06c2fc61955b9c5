"""Groups of at least k rows: how large, how close, how fast."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.summaries.micro_groups import BLOCK, micro_groups


@settings(max_examples=60)
@given(st.integers(1, 80), st.integers(1, 12), st.integers(0, 3))
def test_no_group_is_smaller_than_asked_and_none_twice_as_large(n, size, seed):
    Z = np.random.default_rng(seed).integers(0, 4, size=(n, 2)).astype(float)
    sizes = np.bincount(micro_groups(Z, size))
    assert sizes.sum() == n
    assert sizes.min() >= min(size, n)
    assert sizes.max() < 2 * size or len(sizes) == 1


def test_rows_that_lie_together_stay_together():
    rng = np.random.default_rng(0)
    places = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    Z = np.repeat(places, 10, axis=0) + rng.normal(size=(30, 2)) / 10
    groups = micro_groups(Z, 10)
    assert all(len(set(groups[k : k + 10])) == 1 for k in (0, 10, 20))


@pytest.mark.parametrize("size", [3, 50])
def test_a_large_table_is_cut_first_and_keeps_the_size(size):
    Z = np.random.default_rng(0).normal(size=(3 * BLOCK, 3))
    sizes = np.bincount(micro_groups(Z, size))
    assert size <= sizes.min() <= sizes.max() < 2 * size
