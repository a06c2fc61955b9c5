"""The SMOTE tables: every published cell stays, one trial runs, missing data is said."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.smote_anchors import problems, run
from benchmarks.tables import CELL, published


def test_every_table_of_the_paper_is_there():
    reference = published("smote_anchors")
    assert set(reference.table) == {f"Table {k}" for k in range(1, 8)}
    assert not reference.duplicated(CELL).any()
    adult = reference.query("table == 'Table 4' and method == 'DC(SMOTE)' and metric == 'ACC'")
    assert adult.published.item() == pytest.approx(0.85)


def test_a_small_run_keeps_every_published_cell_and_says_what_was_not_supplied(
    write, tmp_path, monkeypatch
):
    rng = np.random.default_rng(0)
    numbers = {name: rng.normal(size=500) for name in problems.ADULT_NUMERIC}
    frame = pd.DataFrame(numbers).assign(work=rng.choice(list("abc"), size=500))
    frame.assign(label=frame.age > 0).to_csv(tmp_path / "adult.csv.gz", index=False)
    wide = pd.DataFrame(rng.normal(size=(60, 61)), columns=[f"x{k}" for k in range(61)])
    wide.assign(label=wide.x0 > 0).to_csv(tmp_path / "tox_171.csv.gz", index=False)
    monkeypatch.setattr(problems, "N_LEARNT", 300)
    monkeypatch.setattr(run, "FIGURE_K", (5, 99))
    monkeypatch.setattr(run, "FIGURE_ALPHA", (1.0, 1.5))
    names = write(run)
    assert {"smote-anchors-table-1.csv", "smote-anchors-figure-3.csv"} <= names
    files = (tmp_path / "benchmarks" / "results").glob("smote-anchors-table*.csv")
    results = pd.concat(map(pd.read_csv, files))
    assert results.published.notna().sum() == published("smote_anchors").published.notna().sum()
    measured = results[results.ours.notna()]
    assert set(measured.data) == {"artificial", "adult", "TOX-171"}
    assert "**Data not supplied**" in (tmp_path / "docs" / "bench-smote-anchors.md").read_text()

    before = (tmp_path / "benchmarks" / "results" / "smote-anchors-table-1.csv").read_bytes()
    monkeypatch.setattr(run, "FIGURE_K", (50,))
    again = write(run, only="Figure 3")
    assert "smote-anchors-figure-3.csv" in again
    assert not any("table" in name for name in again)
    figure = pd.read_csv(tmp_path / "benchmarks" / "results" / "smote-anchors-figure-3.csv")
    assert sorted(set(figure.k)) == [5, 50, 99]
    after = (tmp_path / "benchmarks" / "results" / "smote-anchors-table-1.csv").read_bytes()
    assert after == before
