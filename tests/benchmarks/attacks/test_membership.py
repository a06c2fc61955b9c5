import pandas as pd

from benchmarks.attacks import membership, nodes
from benchmarks.pages import END, start_of


def test_a_run_also_fills_the_table_of_the_threat_model(write, tmp_path, make_study, monkeypatch):
    monkeypatch.setattr(membership, "attack_studies", lambda data: [make_study(60, 3)])
    monkeypatch.setattr(nodes, "EPSILONS", (None, 100.0))
    model = tmp_path / "docs" / "threat-model.md"
    model.parent.mkdir()
    model.write_text(f"before\n{start_of('attack-nodes')}\n{END}\n")
    names = {"attack-nodes.csv", "attack-nodes.png", "bench-attack-nodes.md", "threat-model.md"}
    assert write(membership) == names
    assert model.read_text().count("| small | ") == 2 * len(nodes.EPSILONS)


def test_the_page_in_docs_is_what_the_results_on_record_say(on_record, docs, tmp_path):
    _, page = membership.write(pd.read_csv(on_record / "attack-nodes.csv"), tmp_path)
    assert page.read_text() == (docs / "bench-attack-nodes.md").read_text()
