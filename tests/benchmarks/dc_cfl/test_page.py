"""The page of DC-CFL says what the numbers say."""

import pandas as pd

from benchmarks.dc_cfl import page
from benchmarks.tables import Trials, compare, published


def as_published(**shifts):
    """Return results that are the published ones, but for some methods."""
    measured = Trials()
    for cell in published("dc_cfl").itertuples():
        value = cell.published + shifts.get(cell.method.replace("-", ""), 0.0)
        measured.add((cell.table, cell.data, cell.setting, cell.method, cell.metric), value)
    return compare(measured.summary(), published("dc_cfl"))


def test_the_verdict_counts_columns():
    said = page._verdict(as_published(FedAvg=0.2))
    assert "6 are within .02 or better" in said
    assert "above Local and DC in 9 of 9 columns, and first of all seven methods in 9." in said
    assert "by 0.20 to 0.20" in said
    said = page._verdict(as_published(DCCFL=-0.03))
    assert "0 are within .02 or better" in said
    assert "above Local and DC in 4 of 9 columns, and first of all seven methods in 4" in said
    assert "Ditto (gesture, Dir(0.1))" in said


def test_methods_stand_in_the_order_of_the_paper():
    table = as_published()
    accuracy = table[table.table == "Table 2"].sample(frac=1, random_state=0)
    gesture = page._in_order(accuracy)[lambda t: t.data == "gesture"]
    assert gesture.method.drop_duplicates().tolist() == list(page.METHODS)
    text = page._tables_by_set(accuracy, ["method"])
    assert text.index("### covertype") < text.index("### dry bean") < text.index("### gesture")
    assert "| Local | 0.8955 / 0.8955 / +0.0000 |" in text


def test_what_was_not_measured_stays_with_a_dash():
    empty = compare(Trials().summary(), published("dc_cfl"))
    text = page._tables_by_set(empty[empty.table == "Table 2"], ["method"])
    assert "| DC | 0.7753 / — / — |" in text
    assert "more than 50" in page._table_3(empty)


def test_bytes_grow_with_the_rounds_a_method_needs():
    table = as_published()
    cell = ("Table 2", "covertype", "C=2", "FedClust")
    sent = [((*cell, "bytes up"), 5000.0), ((*cell, "bytes down"), 6000.0)]
    more = compare(Trials({"seed": sent}).summary(), published("dc_cfl"))
    both = pd.concat([table, more[more.metric.str.startswith("bytes")]])
    text = page._bytes(both)
    assert "| covertype | FedClust | 5 | 5 | 6 |" in text
    assert "FedClust, as good as DC-CFL (C=2) | 24 | 24 | 25 |" in text
