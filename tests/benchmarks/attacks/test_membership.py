from benchmarks.attacks import membership, nodes
from benchmarks.pages import END, start_of


def test_a_run_also_fills_the_table_of_the_threat_model(write, tmp_path, make_study, monkeypatch):
    monkeypatch.setattr(membership, "attack_studies", lambda data: [make_study(60, 3)])
    monkeypatch.setattr(nodes, "EPSILONS", (None, 100.0))
    model = tmp_path / "docs" / "threat-model.md"
    model.parent.mkdir()
    model.write_text(f"before\n{start_of('attack-nodes')}\n{END}\n")
    assert write(membership) == {"attack-nodes.csv", "bench-attack-nodes.md", "threat-model.md"}
    assert model.read_text().count("| small | ") == 2 * len(nodes.EPSILONS)
