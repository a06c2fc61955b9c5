import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.consensus.protocol.packing import bit_width, pack, unpack


@given(st.integers(1, 2**33), st.integers(0, 40), st.randoms(use_true_random=False))
def test_numbers_come_back(n_values, count, random):
    values = np.array([random.randrange(n_values) for _ in range(count)], dtype=np.int64)
    packed = pack(values, n_values)
    assert len(packed) == -(-count * bit_width(n_values) // 8)
    np.testing.assert_array_equal(unpack(packed, n_values, count), values)


@pytest.mark.parametrize(("n", "bits"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (58000, 16)])
def test_width_is_the_rounded_up_logarithm(n, bits):
    assert bit_width(n) == bits
