import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.consensus.protocol.outlines import (
    ROWS_OF_A_PART,
    differing_parts,
    digest_of,
    n_parts,
    part_of,
    part_sums,
    rebuild,
)
from consilience.consensus.protocol.rosters import sort_pseudonyms


def roster(ids):
    codes = [np.frombuffer(hashlib.sha256(b"%d" % i).digest()[:16], np.uint8) for i in ids]
    return sort_pseudonyms(np.array(codes, dtype=np.uint8).reshape(-1, 16))[0]


def outline(rows):
    return part_sums(rows, n_parts(len(rows)))


@pytest.mark.parametrize("n_rows", [0, 1, 15, 16, 17, 1000, 10**6])
def test_a_part_has_at_most_so_many_rows_and_not_many_fewer(n_rows):
    n = n_parts(n_rows)
    assert n.bit_count() == 1
    assert n_rows <= ROWS_OF_A_PART * n
    assert n == 1 or n_rows > ROWS_OF_A_PART * n / 2


def test_parts_and_sums_by_hand():
    rows = np.zeros((3, 16), dtype=np.uint8)
    rows[:, 0], rows[:, 15] = [0, 64, 192], [7, 5, 3]
    assert part_of(rows, 1).tolist() == [0, 0, 0]
    assert part_of(rows, 4).tolist() == [0, 1, 3]
    assert part_sums(rows, 4).tolist() == [7, 5, 0, 3]
    assert part_sums(rows[:0], 2).tolist() == [0, 0]


def test_sums_go_round_like_the_hands_of_a_clock():
    rows = np.zeros((2, 16), dtype=np.uint8)
    rows[:, 8:] = 255
    rows[1, 7] = 1
    assert part_sums(rows, 1).tolist() == [-2]


@given(
    st.sets(st.integers(0, 400), max_size=150),
    st.sets(st.integers(0, 400), max_size=150),
    st.booleans(),
)
def test_what_differs_and_ones_own_rows_make_the_roster_of_the_other(one, other, alike):
    other = one ^ set(list(other)[:3]) if alike else other
    mine, theirs = roster(one), roster(other)
    differ = differing_parts(outline(mine), outline(theirs))
    told = theirs[differ[part_of(theirs, len(differ))]]
    found = rebuild(mine, told, differ)
    np.testing.assert_array_equal(found, theirs)
    np.testing.assert_array_equal(digest_of(found), digest_of(theirs))
    # One that tells all of its rows, as earlier versions do, says no more than that.
    np.testing.assert_array_equal(rebuild(mine, theirs, differ), theirs)


def test_where_few_rows_differ_few_are_told():
    mine, theirs = roster(range(20_000)), roster(range(20, 20_020))
    differ = differing_parts(outline(mine), outline(theirs))
    assert 0 < differ.sum() <= 40
    assert len(theirs[differ[part_of(theirs, len(differ))]]) < 40 * 2 * ROWS_OF_A_PART


def test_equal_rosters_differ_nowhere():
    assert not differing_parts(outline(roster(range(500))), outline(roster(range(500)))).any()
