import pandas as pd

from benchmarks.attacks import run, trials
from benchmarks.tables import published


def test_a_small_run_keeps_every_reference_and_writes_a_page(
    write, tmp_path, make_study, monkeypatch
):
    monkeypatch.setattr(run, "attack_studies", lambda data: [make_study(60, 4)])
    monkeypatch.setattr(run, "DEFAULT_SETS", ("wine",))
    monkeypatch.setattr(trials, "UNMIXED_ROWS", (100,))
    monkeypatch.setattr(trials, "INVERTED_ROWS", (100,))
    assert write(run) == {"attacks.csv", "attacks.png", "bench-attacks.md"}
    results = pd.read_csv(tmp_path / "benchmarks" / "results" / "attacks.csv")
    assert results.published.notna().sum() == published("attacks").published.notna().sum()
    measured = results[results.trials > 0]
    assert set(measured.data) == {"small", "wine"}
    assert measured.table.nunique() == 8
