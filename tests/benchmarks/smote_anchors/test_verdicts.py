"""Sentences follow the numbers."""

import pandas as pd
import pytest

from benchmarks.smote_anchors.verdicts import (
    adult_verdict,
    figure_verdict,
    fresh_table,
    ideal_gap,
    small_verdict,
    table_1_verdict,
    with_error,
)


def cells(table, scores, metric="ACC", published=0.5, data="d"):
    columns = ["table", "data", "method", "metric", "published", "ours", "ours_spread", "trials"]
    rows = [(table, data, m, metric, published, s, 0.02, 5) for m, s in scores.items()]
    return pd.DataFrame(rows, columns=columns)


def test_a_mean_has_its_standard_error_and_nothing_measured_a_dash():
    assert with_error(pd.Series({"ours": 0.5, "ours_spread": 0.02, "trials": 5})) == "0.50±0.01"
    assert with_error(pd.Series({"ours": float("nan")})) == "—"


def test_the_place_of_the_low_rank_anchor_is_put_down_to_its_noise():
    scores = {"Centralized": 1, "DC(raw)": 0.9, "DC(SMOTE)": 0.8, "DC(TSVD)": 0.81}
    scores |= {"DC(TSVD), noise 0.2": 0.6, "DC(rand)": 0.3, "Local": 0.2}
    said = table_1_verdict(cells("Table 1", scores, "NMI"))
    assert "DC(SMOTE) 0.80, DC(rand) 0.30, Local 0.20" in said
    assert "+0.010 from DC(SMOTE), with a standard error of 0.014" in said
    assert "the NMI is 0.60 with 0.2" in said


def test_smote_is_set_against_the_best_of_the_others():
    scores = {"DC(raw)": 0.99, "DC(rand)": 0.7, "DC(TSVD)": 0.8, "DC(SMOTE)": 0.85}
    scores["DC(SMOTE), affine map"] = 0.84
    frame = pd.concat(
        [cells(t, scores, m) for t in ("Table 4", "Table 5") for m in ("ACC", "Dice5")]
    )
    said = adult_verdict(frame)
    assert said.count("has ACC 0.850 and Dice5 0.85; the best other anchor has ACC 0.800") == 2
    assert "affine maps of this package it has ACC 0.840" in said


def test_the_gap_of_the_ideal_rows_has_no_anchor_in_it():
    frame = cells("Table 4", {"Local": 0.51, "DC(raw)": 0.47, "DC(SMOTE)": 0.9})
    assert ideal_gap(frame.assign(gap=frame.ours - frame.published)) == pytest.approx(0.03)


def test_fresh_seeds_are_named():
    frame = pd.concat([cells("Table 5", {"DC(SMOTE)": 0.84}, m) for m in ("NMI", "ACC", "Dice5")])
    assert "| Table 5 | DC(SMOTE) | 10 to 14 | 0.840±0.010" in fresh_table(frame)
    assert fresh_table(None) == "(not measured)"


def test_sets_that_smote_wins_are_counted_here_and_in_the_paper():
    frame = pd.concat(
        [
            cells("Table 6", {"DC(TSVD)": 0.6, "DC(SMOTE)": 0.7, "Local": 0.9}, data="a"),
            cells("Table 7", {"DC(TSVD)": 0.8, "DC(SMOTE)": 0.7, "Local": 0.6}, data="b"),
        ]
    )
    said = small_verdict(frame)
    assert "ahead of DC(TSVD) on 1 of 2 sets; in the paper on 0" in said
    assert "ahead of Local on 1 of 2 sets" in said


def test_the_figure_names_its_best_point():
    grid = [(5, 1.0, 0.81), (5, 1.5, 0.82), (99, 1.0, 0.83), (99, 1.5, 0.84)]
    frame = pd.DataFrame(grid, columns=["k", "alpha", "ACC"]).assign(spread=0.01, trials=2)
    said = figure_verdict(frame)
    assert "(k = 5, alpha = 1) gives 0.810" in said
    assert "best of this grid is 0.840 at k = 99, alpha = 1.5" in said
    with pytest.raises(KeyError):
        figure_verdict(frame[frame.k == 5])
