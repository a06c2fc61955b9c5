"""The page of DC-CFL says what the numbers say."""

import shutil

import pandas as pd
import pytest

from benchmarks.dc_cfl import page
from benchmarks.tables import Trials, compare, published


@pytest.fixture
def text(on_record, tmp_path):
    """Write the page from the results on record, after a change of the main table."""

    def write(change=lambda table: table):
        for name in ("dc-cfl-rounds.csv", "dc-cfl-thresholds.csv"):
            shutil.copy(on_record / name, tmp_path)
        change(pd.read_csv(on_record / "dc-cfl.csv")).to_csv(tmp_path / "dc-cfl.csv", index=False)
        *_, written = page.write(tmp_path, tmp_path / "docs")
        return written.read_text(encoding="utf-8")

    return write


def as_published(table, **shifts):
    """Let accuracies be the published ones, but for some methods."""
    shift = table.method.str.replace("-", "").map(shifts).fillna(0.0)
    known = (table.metric == "accuracy") & table.published.notna()
    changed = table.assign(ours=table.ours.mask(known, table.published + shift))
    return changed.assign(gap=changed.ours - changed.published)


def test_the_page_in_docs_is_the_one_that_the_results_give(text, docs):
    assert text() == (docs / "bench-dc-cfl.md").read_text(encoding="utf-8")


def test_the_verdict_counts_columns(text):
    said = text(lambda table: as_published(table, FedAvg=0.2))
    assert "6 are within .02 or better" in said
    assert "above Local and DC in 9 of 9 columns, and first of all seven methods in" in said
    assert "by 0.20 to 0.20" in said
    said = text(lambda table: as_published(table, DCCFL=-0.03))
    assert "0 are within .02 or better" in said
    assert "above Local and DC in 4 of 9 columns, and first of all seven methods in 4" in said
    assert "Ditto (gesture, Dir(0.1))" in said


def test_methods_stand_in_the_order_of_the_paper_and_what_was_not_measured_has_a_dash():
    empty = compare(Trials().summary(), published("dc_cfl"))
    accuracy = empty[empty.table == "Table 2"].sample(frac=1, random_state=0)
    said = page._tables_by_set(accuracy, ["method"])
    assert said.index("### covertype") < said.index("### dry bean") < said.index("### gesture")
    places = [said.index(f"| {method} | ") for method in page.METHODS]
    assert places == sorted(places)
    assert "| DC | 0.7753 / — / — |" in said
    assert "more than 50" in page._table_3(empty[empty.table == "Table 3"])["table_3"]


def test_bytes_grow_with_the_rounds_a_method_needs(text):
    def change(table):
        of = (table.data == "covertype") & (table.method == "FedClust")
        table.loc[of & (table.metric == "bytes up"), "ours"] = 5000.0
        table.loc[of & (table.metric == "bytes down"), "ours"] = 6000.0
        table.loc[of & (table.table == "Table 3"), ["ours", "trials"]] = 24, 1
        return table

    said = text(change)
    assert "| covertype | FedClust | 5 | 5 | 6 |" in said
    assert "FedClust, as good as DC-CFL (C=2) | 24 | 24 | 25 |" in said
