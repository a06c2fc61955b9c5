"""The campaign of whole studies over a letter box: nothing is found here, and wrong is told."""

import random

import pytest

pytest.importorskip("uvicorn")

from benchmarks.adversary import joins
from benchmarks.adversary.small_studies import small_study


def test_a_share_of_it_finds_nothing():
    [tried] = joins.attempt(0.01, 1)
    assert (tried.tries, tried.failures) == (1, 0)


def test_a_party_with_other_labels_or_none_is_told(tmp_path, monkeypatch):
    path = small_study(tmp_path / "study", "no noise")
    scene = joins._Scene(path, tmp_path / "houses", {})
    monkeypatch.setattr(scene, "begin", lambda who: None)
    monkeypatch.setattr(scene, "kill", lambda who: None)
    monkeypatch.setattr(scene, "end", lambda who: 0)
    monkeypatch.setattr(joins, "KILL_WITHIN", 0.0)
    assert scene.play(random.Random(0), {"north/lab": b""}) == ["north/lab has other labels"]
    (scene.home("north/lab") / "labels.csv").write_bytes(b"")
    assert scene.play(random.Random(0), {"north/lab": b""}) == []
