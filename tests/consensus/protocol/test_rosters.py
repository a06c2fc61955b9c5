import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from consilience.consensus.protocol.rosters import (
    CommonRows,
    ascending,
    halves,
    held_too,
    sort_pseudonyms,
)


def pseudonyms(ids):
    return np.array([np.frombuffer(i.to_bytes(16, "big"), dtype=np.uint8) for i in ids]).reshape(
        -1, 16
    )


IDS = st.sets(st.integers(0, 2**128 - 1) | st.integers(0, 30), min_size=1, max_size=30)


@given(IDS, IDS, IDS)
def test_every_peer_finds_the_same_rows_in_the_same_order(a, b, c):
    tables = [pseudonyms(ids) for ids in (a, b, c)]
    found = []
    for table, ids in zip(tables, (a, b, c), strict=True):
        rows = CommonRows(np.zeros((len(table), 1)), table)
        rows.meet(held_too(rows.roster, other) for other in tables)
        found.append([list(ids)[place] for place in rows.places])
    assert found[0] == found[1] == found[2] == sorted(a & b & c)


def test_halves_are_ordered_like_pseudonyms():
    high, low = halves(pseudonyms([5, 2**64 + 7, 2**127]))
    assert high.tolist() == [0, 1, 2**63]
    assert low.tolist() == [5, 7, 0]


def test_sorting_hides_the_order_and_finds_doubles():
    table = pseudonyms([5, 2**100, 3])
    ordered, order = sort_pseudonyms(table)
    assert order.tolist() == [2, 0, 1]
    assert ascending(ordered)
    assert not ascending(table)
    assert not ascending(pseudonyms([3, 3]))
