import pytest

from benchmarks.attacks import nodes
from consilience.continual.nodes import compute


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """As on a machine without numba: the labels are the same, and nothing has to be compiled."""
    monkeypatch.setattr(compute, "find_spec", lambda name: None)


def test_nodes_without_noise_give_members_away_and_noise_hides_them(make_study):
    study = make_study(300, 4, apart=0.0, mixed=False)
    found = {(cell[2], cell[4]): value for cell, value in nodes.measure_nodes(study, 0)}
    noisy, plain = "epsilon 10 per row", "no noise"
    assert found[f"first window, {plain}", "points that are rows"] > 0.1
    assert found[f"second window, {plain}", "rows exposed"] > 0.2
    for window in ("first window", "second window"):
        assert found[f"{window}, {plain}", "AUC"] > found[f"{window}, {noisy}", "AUC"]
        assert found[f"{window}, {noisy}", "rows exposed"] == 0
