"""The campaign against carriers: nothing is found here, and what is wrong is told."""

import random

import pytest

pytest.importorskip("uvicorn")

from benchmarks.adversary import carriers
from consilience.carriers.letter_box.guard import Guard
from consilience.carriers.parcel import SLIP


def test_a_share_of_it_finds_nothing():
    found = list(carriers.attempt(0.01, 1))
    assert len(found) == 10
    assert not sum(tried.failures for tried in found)


def test_a_letter_that_is_doubled_or_another_is_told(tmp_path):
    scene = carriers.Scene(tmp_path, random.Random(0))
    try:
        scene.send()
        assert scene.problems() == []
        [slip] = scene.root.rglob(SLIP)
        (slip.parent.parent / "again").mkdir()
        (slip.parent.parent / "again" / SLIP).write_bytes(slip.read_bytes())
        scene.arrived.write_bytes(b"half")
        assert scene.half_read() == ["half a letter"]
        assert scene.problems() == ["2 parcels", "another letter"]
    finally:
        scene.close()


def test_a_request_that_is_taken_twice_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(Guard, "identify", lambda self, *_: "north/lab")
    scene = carriers.Scene(tmp_path, random.Random(0), encrypted=True)
    try:
        assert any("taken twice" in problem for problem in carriers._open_tls(scene))
    finally:
        scene.close()
