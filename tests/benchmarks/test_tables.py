import numpy as np
import pandas as pd

from benchmarks.tables import CELL, Trials, compare, markdown, published, write_csv


def test_every_published_cell_stays_also_without_a_measurement():
    trials = Trials()
    trials.add(("Table 4", "iris", "10 x 2 iid", "pooled", "ARI"), 0.5)
    trials.add(("Extra", "iris", "10 x 2 iid", "pooled", "ARI"), 0.25)
    reference = published("dc_clustering")
    both = compare(trials.summary(), reference)
    assert len(both) == len(reference) + 1
    row = both[(both[CELL[:4]] == ["Table 4", "iris", "10 x 2 iid", "pooled"]).all(axis=1)]
    row = row[row.metric == "ARI"].iloc[0]
    assert (row.published, row.ours, row.trials) == (0.730, 0.5, 1)
    assert row.gap == 0.5 - 0.730
    assert both[both.table == "Extra"].gap.isna().all()


def test_spread_is_over_trials():
    trials = Trials()
    for value in (1.0, 3.0):
        trials.add("abcde", value)
    assert trials.summary().iloc[0][["ours", "ours_spread", "trials"]].tolist() == [2.0, 1.0, 2]
    assert np.isnan(trials.mean("zzzzz"))


def test_markdown_shows_missing_numbers_as_a_dash(tmp_path):
    frame = pd.DataFrame({"who": ["we"], "ours": [0.12345], "published": [np.nan]})
    assert markdown(frame).splitlines()[-1] == "| we | 0.123 | — |"
    write_csv(frame, tmp_path / "deep" / "x.csv")
    assert (tmp_path / "deep" / "x.csv").read_text() == "who,ours,published\nwe,0.12345,\n"
