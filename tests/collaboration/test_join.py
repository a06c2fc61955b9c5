import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.collaboration import join as module
from consilience.collaboration.join import join_columns
from consilience.engines.on_disk import OnDisk
from consilience.exceptions import MessageError
from consilience.messages import Query


def query(ids, sender="a/x"):
    codes = np.zeros((len(ids), 16), dtype=np.uint8)
    codes[:, 0], codes[:, 15] = [i // 256 for i in ids], [i % 256 for i in ids]
    values = np.array(ids, dtype=float)[:, None]
    return Query(study="", sender=sender, recipient="", representation=values, pseudonyms=codes)


def test_rows_meet_whatever_their_order():
    left, right = query([3, 1, 2]), query([2, 9, 3])
    join = join_columns([left, right])
    stacked = join.stack([left, right])
    assert stacked.tolist() == [[2, 2], [3, 3]]
    assert join.n_unmatched == [1, 1]
    assert join.spread(np.array([20, 30]), 0).tolist() == [30, -1, 20]
    assert join.spread(np.array([20, 30]), 1).tolist() == [20, -1, 30]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 400), unique=True, min_size=1), min_size=1, max_size=4))
def test_joined_rows_are_the_intersection(columns):
    messages = [query(ids) for ids in columns]
    join = join_columns(messages)
    stacked = join.stack(messages)
    assert (stacked == stacked[:, :1]).all()
    assert sorted(stacked[:, 0]) == sorted(set.intersection(*map(set, columns)))
    for j, ids in enumerate(columns):
        back = join.spread(stacked[:, 0].astype(np.int64), j)
        shared = np.isin(ids, stacked[:, 0])
        assert (back[shared] == np.array(ids)[shared]).all()
        assert (back[~shared] == -1).all()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 400), unique=True, min_size=1), min_size=1, max_size=4),
    st.integers(1, 7),
    st.booleans(),
)
def test_windows_of_any_length_join_the_same_rows(columns, length, keep):
    rule = "keep" if keep else "drop"
    messages = [query(sorted(ids)) for ids in columns]
    whole = join_columns(messages, rule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WINDOW_ROWS", length)
        patch.setattr(module, "SPREAD_ROWS", length)
        parts = join_columns(messages, rule)
    everyone = set.union(*map(set, columns)) if keep else set.intersection(*map(set, columns))
    assert np.nanmax(parts.stack(messages), axis=1, initial=-1).tolist() == sorted(everyone)
    assert parts.n_complete == whole.n_complete == len(set.intersection(*map(set, columns)))
    for one, other in zip(whole.positions, parts.positions, strict=True):
        np.testing.assert_array_equal(one, other)


def test_pseudonyms_that_begin_alike_are_told_apart_across_windows(monkeypatch):
    monkeypatch.setattr(module, "WINDOW_ROWS", 2)
    left, right = query([1, 2, 3, 4, 5, 6]), query([2, 3, 5, 6, 7])
    assert join_columns([left, right]).stack([left, right])[:, 0].tolist() == [2, 3, 5, 6]


def test_places_on_disk_are_those_of_memory(tmp_path):
    messages = [query(range(0, 900, 2)), query(range(0, 900, 3))]
    here, there = join_columns(messages), join_columns(messages, engine=OnDisk(tmp_path))
    for one, other in zip(here.positions, there.positions, strict=True):
        np.testing.assert_array_equal(one, other)
    full = OnDisk(tmp_path).labels(450, 9)
    labels = np.arange(there.n_rows) % 9
    np.testing.assert_array_equal(there.spread(labels, 0, full), here.spread(labels, 0))


def test_without_pseudonyms_rows_stay_in_their_order():
    rows = [np.arange(6.0).reshape(3, 2), np.ones((3, 1))]
    messages = [Query(study="", sender="", recipient="", representation=r) for r in rows]
    np.testing.assert_array_equal(join_columns(messages).stack(messages), np.hstack(rows))


def test_different_counts_without_pseudonyms_are_refused():
    messages = [
        Query(study="", sender=f"a/{n}", recipient="", representation=np.ones((n, 1)))
        for n in (2, 3)
    ]
    with pytest.raises(MessageError, match=r"a/2 2, a/3 3"):
        join_columns(messages)


def test_pseudonyms_at_some_parties_only_are_refused():
    plain = Query(study="", sender="a/y", recipient="", representation=np.ones((2, 1)))
    with pytest.raises(MessageError, match=r"\['a/y'\] sent no pseudonyms"):
        join_columns([query([1, 2]), plain])


def test_doubled_pseudonyms_are_refused_by_count():
    with pytest.raises(MessageError, match="a/x sent 1 pseudonyms twice"):
        join_columns([query([5, 5, 6])])
