import pytest

from benchmarks.attacks import nodes
from benchmarks.pages import END, start_of
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


def test_a_run_also_fills_the_table_of_the_threat_model(write, tmp_path, make_study, monkeypatch):
    monkeypatch.setattr(nodes, "attack_studies", lambda data: [make_study(60, 3)])
    monkeypatch.setattr(nodes, "EPSILONS", (None, 100.0))
    model = tmp_path / "docs" / "threat-model.md"
    model.parent.mkdir()
    model.write_text(f"before\n{start_of('attack-nodes')}\n{END}\n")
    assert write(nodes) == {"attack-nodes.csv", "bench-attack-nodes.md", "threat-model.md"}
    assert model.read_text().count("| small | ") == 2 * len(nodes.EPSILONS)
