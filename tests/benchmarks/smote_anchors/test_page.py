"""The page is made from the result files that exist."""

import pandas as pd

from benchmarks.smote_anchors.page import write_page


def _cells(table, data, methods):
    rows = []
    for k, method in enumerate(methods):
        for metric in ("NMI", "ACC", "Dice5"):
            rows.append((table, data, "s", method, metric, 0.5, 0.01, 0.6 + k / 100, 0.02, 0.1, 5))
    columns = ["table", "data", "setting", "method", "metric", "published", "published_spread"]
    return pd.DataFrame(rows, columns=[*columns, "ours", "ours_spread", "gap", "trials"])


def test_page_shows_published_ours_and_gap(tmp_path):
    methods = ["DC(rand)", "DC(SMOTE)"]
    frame = pd.concat([_cells(t, "adult", methods) for t in ("Table 4", "Table 5")])
    frame.to_csv(tmp_path / "smote-anchors-tables-4-5.csv", index=False)
    (page,) = write_page(tmp_path, tmp_path / "docs")
    text = page.read_text()
    assert "0.50±0.01 | 0.61±0.01 | +0.10" in text
    assert "DC(SMOTE) has ACC 0.610 and Dice5 0.61; the best other anchor has ACC 0.600" in text
    assert "Figure 3" not in text.split("## Settings")[1]
    absent = "`table-1`, `tables-2-3`, `fresh-seeds`, `tables-6-7`, `figure-3`"
    assert f"**Not measured so far:** {absent}." in text


def test_missing_data_is_said_and_the_figure_is_drawn(tmp_path):
    empty = _cells("Table 2", "credit", ["DC(SMOTE)"]).assign(ours=None, gap=None)
    empty.to_csv(tmp_path / "smote-anchors-tables-2-3.csv", index=False)
    both = pd.concat([empty, empty.assign(table="Table 3")])
    both.to_csv(tmp_path / "smote-anchors-tables-2-3.csv", index=False)
    figure = [(k, a, 0.8 + a / 100) for k in (5, 99) for a in (1.0, 1.5)]
    figure = pd.DataFrame(figure, columns=["k", "alpha", "ACC"]).assign(
        spread=0.01, trials=2, maps="linear"
    )
    figure.to_csv(tmp_path / "smote-anchors-figure-3.csv", index=False)
    picture, page = write_page(tmp_path, tmp_path / "docs")
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = page.read_text()
    assert "**Data not supplied**" in text
    assert "| DC(SMOTE) | 0.50±0.01 | data not supplied | — |" in text
    assert "gives 0.810, the paper's choice (k = 99, alpha = 1.5) 0.815" in text
