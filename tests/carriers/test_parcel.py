"""Slips that strangers may have written, and folders that no name leaves."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.carriers.parcel import MAX_BYTES, PIECE_BYTES, Parcel, folder_of, parcel_of

PARCEL = Parcel("a/lab", "analyst", "a.contribution", 3, PIECE_BYTES + 1, "ab" * 32)


def test_a_slip_cut_short_anywhere_is_none():
    for length in range(len(PARCEL.slip)):
        assert parcel_of(PARCEL.slip[:length], PARCEL.folder) is None
    assert parcel_of(PARCEL.slip, PARCEL.folder) == PARCEL


@pytest.mark.parametrize(
    "change",
    [
        {"n_bytes": -1},
        {"n_bytes": MAX_BYTES + 1},
        {"n_bytes": 1.0},
        {"n_bytes": True},
        {"number": 0},
        {"sha256": "../" * 21 + "x"},
        {"sha256": None},
        {"sender": ""},
        {"sender": 4},
        {"name": "n" * 201},
        {"format": 2},
        {"more": 1},
    ],
)
def test_a_slip_that_breaks_a_rule_is_none(change):
    fields = {"format": 1, **dataclasses.asdict(PARCEL), **change}
    assert parcel_of(json.dumps(fields).encode(), PARCEL.folder) is None


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_name_leaves_its_folder_and_no_two_share_one(one, other):
    folder = folder_of(one)
    assert set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert not folder.startswith(".")
    assert ".." not in folder
    assert (folder == folder_of(other)) == (one == other)


def test_pieces_add_up():
    for n_bytes in (0, 1, PIECE_BYTES, PIECE_BYTES + 1):
        parcel = dataclasses.replace(PARCEL, n_bytes=n_bytes)
        assert sum(parcel.pieces.values()) == n_bytes
