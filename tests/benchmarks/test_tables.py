import numpy as np
import pandas as pd

from benchmarks.tables import (
    Trials,
    beside,
    compare,
    markdown,
    one,
    published,
    renew,
    wide,
    with_interval,
    write_csv,
)

CELL = ("Table 4", "iris", "10 x 2 iid", "pooled", "ARI")


def test_every_published_cell_stays_also_without_a_measurement():
    extra = ("Extra", *CELL[1:])
    reference = published("dc_clustering")
    both = compare(Trials({"a": [(CELL, 0.5)], "b": [(extra, 0.25)]}).summary(), reference)
    assert len(both) == len(reference) + 1
    row = one(both, table="Table 4", data="iris", method="pooled", metric="ARI")
    assert (row.published, row.ours, row.trials, row.gap) == (0.730, 0.5, 1, 0.5 - 0.730)
    assert np.isnan(one(both, table="Extra").gap)


def test_spread_is_over_trials():
    trials = Trials({"a": [(CELL, 1.0), (CELL, 3.0)]})
    assert trials.summary().iloc[0][["ours", "ours_spread", "trials"]].tolist() == [2.0, 1.0, 2]
    assert with_interval(trials.summary(), 1) == ["2.0 ± 12.7"]
    assert with_interval(Trials({"a": [(CELL, 1.0)]}).summary(), 1) == ["1.0"]
    assert np.isnan(trials.mean("zzzzz"))


def test_what_was_not_measured_is_a_dash(tmp_path):
    frame = pd.DataFrame({"who": ["we"], "ours": [0.12345], "published": [np.nan]})
    assert markdown(frame).splitlines()[-1] == "| we | 0.123 | — |"
    path = write_csv(frame, tmp_path, "x")
    assert path.read_text() == "who,ours,published\nwe,0.12345,\n"
    cell = pd.Series({"published": 0.5, "ours": 0.75, "gap": 0.25})
    assert beside(cell, "0.75 (0.1)", 2) == "0.50 / 0.75 (0.1) / +0.25"
    assert beside(cell.replace(0.75, np.nan), "nan", 2) == "0.50 / — / —"


def test_metrics_stand_side_by_side_and_what_says_nothing_is_left_out():
    results = compare(Trials({"a": [(CELL, 0.5)]}).summary(), published("dc_clustering"))
    cells = results[(results.data == "iris") & (results.table == "Table 4")]
    columns = {"published": lambda c: c.published, "ours": lambda c: c.ours}
    table = wide(cells, ["data", "method"], ["ARI", "none"], columns).set_index("method")
    assert list(table) == ["ARI published", "ARI ours", "none published", "none ours"]
    assert table.loc["pooled"].fillna(-1).tolist() == [0.73, 0.5, -1, -1]


def test_what_was_measured_anew_stands_in_the_place_of_what_was_known(tmp_path):
    known = pd.DataFrame({"k": [1, 2, 3], "ACC": [0.1, 0.2, 0.3], "trials": [1, 1, 1]})
    write_csv(known, tmp_path, "x")
    found = pd.DataFrame({"k": [2, 3, 4], "ACC": [0.5, float("nan"), 0.7], "trials": [3, 0, 3]})
    both = renew(found, tmp_path, "x", ["k"])
    assert both.k.tolist() == [1, 2, 3, 4]
    assert both.ACC.tolist() == [0.1, 0.5, 0.3, 0.7]
    assert both.trials.tolist() == [1, 3, 1, 3]
