import numpy as np

from benchmarks.adversary.insiders import INSIDERS, harmed_by, make_scene
from consilience.collaboration.gathering import Gathering


def test_a_scene_can_be_drawn_again():
    one, again = make_scene(3), make_scene(3)
    assert one.study == again.study
    assert all(
        np.array_equal(a.representation, b.representation)
        for a, b in zip(one.sent, again.sent, strict=True)
    )


def test_an_attack_succeeds_where_nothing_is_compared(monkeypatch):
    monkeypatch.setattr("consilience.collaboration.gathering.why_implausible", lambda *_: "")
    monkeypatch.setattr(Gathering, "_compare_anchors", lambda self: None)
    insider = INSIDERS["rows in other units than the anchor"]
    assert any(harmed_by(insider, seed) for seed in range(6))
