"""The page is what the results on record say, and its sentences follow the numbers."""

import pandas as pd

from benchmarks.smote_anchors import page


def test_the_page_in_docs_is_what_the_results_on_record_say(on_record, docs, tmp_path):
    *pictures, text = page.write(on_record, tmp_path)
    assert [p.name for p in pictures] == [
        f"smote-anchors{x}.png" for x in ("-figure-1", "-figure-2", "", "-figure-3")
    ]
    assert text.read_text() == (docs / "bench-smote-anchors.md").read_text()


def cells(table, scores, metric="ACC", published=0.5, data="d"):
    columns = ["table", "data", "method", "metric", "published", "ours", "ours_spread", "trials"]
    rows = [(table, data, m, metric, published, s, 0.02, 5) for m, s in scores.items()]
    return pd.DataFrame(rows, columns=columns)


def test_a_mean_has_its_standard_error_and_nothing_measured_a_dash():
    known = pd.Series({"ours": 0.5, "ours_spread": 0.02, "trials": 5})
    assert page.with_error(known) == "0.50±0.01"
    assert page.with_error(pd.Series({"ours": float("nan")})) == "—"


def test_smote_is_set_against_the_best_of_the_others():
    scores = {"DC(raw)": 0.99, "DC(rand)": 0.7, "DC(TSVD)": 0.8, "DC(SMOTE)": 0.85}
    scores["DC(SMOTE), affine map"] = 0.84
    both = [cells(t, scores, m) for t in ("Table 4", "Table 5") for m in ("ACC", "Dice5")]
    said = page.adult_verdict(pd.concat(both))
    assert said.count("has ACC 0.850 and Dice5 0.85; the best other anchor has ACC 0.800") == 2
    assert "affine maps of this package it has ACC 0.840" in said


def test_sets_that_smote_wins_are_counted_here_and_in_the_paper():
    first = cells("Table 6", {"DC(TSVD)": 0.6, "DC(SMOTE)": 0.7, "Local": 0.9}, data="a")
    second = cells("Table 7", {"DC(TSVD)": 0.8, "DC(SMOTE)": 0.7, "Local": 0.6}, data="b")
    said = page.small_verdict(pd.concat([first, second]))
    assert "ahead of DC(TSVD) on 1 of 2 sets; in the paper on 0" in said
    assert "ahead of Local on 1 of 2 sets" in said
