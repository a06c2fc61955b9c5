import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.study.pseudonym_index import PseudonymIndex

HALF = st.sampled_from(
    [b"\0" * 8, b"\0" * 7 + b"\1", b"\x7f" + b"\xff" * 7, b"\x80" * 8, b"\xff" * 8]
)
CODES = st.lists(st.builds(lambda a, b: a + b, HALF, HALF), unique=True, max_size=25)


def as_array(codes):
    return np.frombuffer(b"".join(codes), dtype=np.uint8).reshape(-1, 16)


@settings(max_examples=200, deadline=None)
@given(CODES, CODES)
def test_every_pseudonym_is_found_where_it_stands_though_halves_repeat(among, wanted):
    found = PseudonymIndex(as_array(among)).find(as_array(wanted))
    assert found.tolist() == [among.index(c) if c in among else -1 for c in wanted]


@pytest.mark.parametrize("rising", [True, False])
def test_pseudonyms_of_chance_are_found(rising):
    codes = np.random.default_rng(0).integers(256, size=(5_000, 16)).astype(np.uint8)
    if rising:
        codes = codes[np.lexsort(codes.T[::-1])]
    index = PseudonymIndex(codes[:4_000])
    assert (index.order is None) == rising
    np.testing.assert_array_equal(index.find(codes)[:4_000], np.arange(4_000))
    assert (index.find(codes)[4_000:] == -1).all()


def test_order_is_that_of_bytes():
    codes = np.random.default_rng(1).integers(256, size=(200, 16)).astype(np.uint8)
    order = PseudonymIndex(codes).order
    assert [c.tobytes() for c in codes[order]] == sorted(c.tobytes() for c in codes)


def test_doubles_are_counted():
    codes = np.arange(64, dtype=np.uint8).reshape(4, 16)[[0, 3, 1, 3, 3, 0]]
    assert PseudonymIndex(codes).n_doubles == 3
    assert PseudonymIndex(codes[:3]).n_doubles == 0
