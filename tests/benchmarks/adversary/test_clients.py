"""The campaign of unexpected clients: nothing is found here, and what is wrong is told."""

import random

import pytest

pytest.importorskip("uvicorn")

from benchmarks.adversary import carriers, clients
from consilience.carriers.carrier import Carrier


def test_a_share_of_it_finds_nothing():
    assert [tried.failures for tried in clients.attempt(0.01, 1)] == [0, 0]


def test_letters_that_overtake_each_other_are_told(tmp_path, monkeypatch):
    put = Carrier.put
    monkeypatch.setattr(Carrier, "put", lambda *args, once, **more: put(*args, **more))
    scene = carriers.Scene(tmp_path, random.Random(0))
    try:
        assert clients._send_two(scene) == ["letters are lost, doubled or in another order"]
    finally:
        scene.close()
