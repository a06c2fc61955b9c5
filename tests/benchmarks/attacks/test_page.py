"""The page, its sentences and the tables of other pages, made from the results on record."""

import pandas as pd
import pytest

from benchmarks.attacks.page import threat_table, write
from benchmarks.pages import END, start_of


@pytest.fixture
def results(on_record):
    return pd.read_csv(on_record / "attacks.csv")


def table_in(path):
    return path.read_text().partition(start_of("attacks"))[2].partition(END)[0]


def test_the_page_and_the_tables_of_others_are_those_on_record(results, make_study, tmp_path, docs):
    others = ["docs/threat-model.md", "SECURITY.md"]
    (tmp_path / "docs").mkdir()
    for name in others:
        (tmp_path / name).write_text(f"before\n{start_of('attacks')}\nstale\n{END}\nafter\n")
    picture, page, *filled = write(results, [make_study()], {"small": 1, "defaults": 3}, tmp_path)
    assert [str(path.relative_to(tmp_path)) for path in filled] == others
    for name, path in zip(others, filled, strict=True):
        assert table_in(path) == table_in(docs.parent / name)
    assert picture == tmp_path / "docs" / "images" / "attacks.png"
    text, kept = page.read_text(), (docs / "bench-attacks.md").read_text()
    assert text.partition("## Analyst and")[2] == kept.partition("## Analyst and")[2]
    end = "## How it was measured"
    assert text.partition(end)[0] == kept.partition(end)[0] != text
    assert "- small: 150 rows, 5 columns, standardised" in text


def test_what_failed_is_said_with_its_figure(results, tmp_path):
    worse = results.assign(ours=results.ours - 0.5, gap=results.gap - 0.5)
    _, page = write(worse, [], {"defaults": 5}, tmp_path)
    text = page.read_text()
    assert "0 of 9 lie within .03; the largest gap is -0.515 (digits, m/2, least squares)" in text
    assert "keep at least .95 of paper mode's agreement on" in text


def test_cells_are_ranges_over_data_sets_and_gaps_stay_visible():
    columns = ["table", "data", "setting", "method", "metric", "ours"]
    rows = [
        ("Collusion", data, "m-1", "least squares", "median R2", value)
        for data, value in (("iris", 0.98), ("wine", 0.995), ("adult", float("nan")))
    ]
    first = threat_table(pd.DataFrame(rows, columns=columns)).iloc[0]
    assert first["rebuilds (median R2)"] == "0.98 to 0.99"
    assert first["then rebuilds"] == "—"
