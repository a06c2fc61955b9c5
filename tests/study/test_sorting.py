import numpy as np
import pytest

from consilience.study.sorting import Buckets


@pytest.mark.parametrize("cuts", [[], [1], [100, 101, 700]])
def test_rows_come_back_in_the_order_of_their_pseudonyms(tmp_path, cuts):
    rng = np.random.default_rng(0)
    codes = rng.integers(256, size=(1000, 16), dtype=np.uint8)
    codes[500:600] = codes[:100]
    codes[600:700, :8] = codes[100:200, :8]  # first halves alone are not enough
    places, rows = np.arange(1000), rng.normal(size=(1000, 3))
    with Buckets(tmp_path, 3) as buckets:
        for part in np.split(np.arange(1000), cuts):
            buckets.add(codes[part], places[part], rows[part])
        found = [np.concatenate(parts) for parts in zip(*buckets.sorted(), strict=True)]
        assert list(tmp_path.iterdir()) == []
    order = np.lexsort(codes.T[::-1])
    np.testing.assert_array_equal(found[0], codes[order])
    np.testing.assert_array_equal(found[1], order)
    np.testing.assert_array_equal(found[2], rows[order])


def test_rows_without_numbers_are_sorted_too(tmp_path):
    codes = np.arange(32, dtype=np.uint8).reshape(2, 16)
    with Buckets(tmp_path, 0) as buckets:
        buckets.add(codes[::-1], np.array([7, 8]), np.empty((2, 0)))
        assert [places.tolist() for _, places, _ in buckets.sorted()] == [[8], [7]]
