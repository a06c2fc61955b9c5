import numpy as np
import pytest

from consilience.study.keys import derive_key, draw_uniform, new_key


def test_new_keys_differ():
    assert len({new_key() for _ in range(20)}) == 20


def test_derived_keys_depend_on_key_and_purpose():
    keys = {derive_key(k, p) for k in (bytes(32), b"k" * 32) for p in ("anchor", "rows")}
    assert len(keys) == 4


def test_uniform_numbers_are_inside_the_open_interval_and_uniform():
    numbers = draw_uniform(bytes(32), (40, 250))
    assert numbers.shape == (40, 250)
    assert 0 < numbers.min() < numbers.max() < 1
    counts = np.histogram(numbers, bins=20, range=(0, 1))[0]
    # Chi-square with 19 degrees of freedom exceeds 60 with probability 4e-6.
    assert ((counts - 500) ** 2 / 500).sum() < 60


def test_longer_draw_begins_like_a_shorter_one():
    np.testing.assert_array_equal(draw_uniform(bytes(32), (9,))[:4], draw_uniform(bytes(32), (4,)))


def test_short_key_is_refused_without_showing_it():
    with pytest.raises(ValueError, match="a key of 5 bytes was given, must be 32") as caught:
        draw_uniform(b"hello", (2,))
    assert "hello" not in str(caught.value)
