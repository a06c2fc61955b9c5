"""The benchmark command: one part of it, and what it refuses."""

import pandas as pd
import pytest

from consilience.bench import smote_anchors


def test_one_part_is_measured_and_the_page_made_from_it(cli, tmp_path, monkeypatch):
    monkeypatch.setitem(smote_anchors.PARTS, "table-1", _part)
    said = cli("bench", "smote-anchors", "--part", "table-1", "--trials", "3", "--out", tmp_path)
    assert said.code == 0, said.err
    written = {p.name for p in tmp_path.rglob("*") if p.is_file()}
    assert written == {"smote-anchors-table-1.csv", "bench-smote-anchors.md"}
    assert "3 trials, seeds from 0" in (tmp_path / "docs" / "bench-smote-anchors.md").read_text()


def _part(trials, data, track):
    methods = ["Centralized", "DC(raw)", "DC(SMOTE)", "DC(TSVD)", "DC(rand)", "Local"]
    columns = ["table", "data", "setting", "method", "metric", "published", "published_spread"]
    rows = [
        (
            "Table 1",
            "artificial",
            "s",
            method,
            "NMI",
            0.5,
            0.1,
            0.6,
            0.1,
            0.1,
            len([*track(range(trials))]),
        )
        for method in methods
    ]
    return pd.DataFrame(rows, columns=[*columns, "ours", "ours_spread", "gap", "trials"])


@pytest.mark.parametrize(
    ("name", "rule"),
    [("smote-anchors", "must be one of table-1, tables-2-3"), ("anchors", "anchors has no parts")],
)
def test_a_part_that_does_not_exist_is_refused(cli, name, rule):
    said = cli("bench", name, "--part", "table-9")
    assert said.code == 2
    assert rule in " ".join(said.err.replace("│", " ").split())
