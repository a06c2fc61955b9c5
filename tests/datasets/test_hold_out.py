import numpy as np
import pytest

from consilience.datasets import hold_out


def test_each_party_keeps_its_share_aside():
    parties = np.random.default_rng(0).permutation(np.repeat(list("abcd"), [100, 10, 3, 1]))
    aside = parties[hold_out(parties, 0.2, random_state=0)]
    assert {name: int((aside == name).sum()) for name in "abcd"} == {
        "a": 20,
        "b": 2,
        "c": 1,
        "d": 0,
    }


def test_seed_repeats_and_another_differs():
    parties = np.arange(1000) % 7
    one, two, other = (hold_out(parties, random_state=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_no_party_gives_all_its_rows():
    assert not hold_out([0, 0, 1, 1], 0.99, random_state=0).all()


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_a_share_outside_its_range_is_refused(share):
    with pytest.raises(ValueError, match="share == "):
        hold_out([0, 1], share)
