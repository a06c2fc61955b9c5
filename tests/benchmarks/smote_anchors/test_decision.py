"""The decision page takes its figures from the results."""

import pandas as pd

from benchmarks.smote_anchors import anchors, decision


def test_figures_of_the_decision_are_those_measured(tmp_path):
    rows = [("pooled", "iris", "", "centralised tree", "ACC", 0.91, 0.0, 3)]
    for k, kind in enumerate(("gaussian", "uniform", "rotated", "smote", "lowrank")):
        for r in (50, 400, 1600):
            for metric in decision.METRICS:
                value = k / 10 + r / 1e5
                rows.append(("anchors", "iris", str(r), kind, metric, value, 0.0, 3))
    columns = ["table", "data", "setting", "method", "metric", "ours", "ours_spread", "trials"]
    text = decision.write(pd.DataFrame(rows, columns=columns), tmp_path).read_text()
    assert "pooled clustering is 0.004 on average with 400 rows" in text
    assert "the trees reach\n0.304 on average, against 0.004 with gaussian" in text
    assert "reaches 0.910" in text
    assert "1 sets (iris" in text


def test_a_small_run_writes_the_decision(write, monkeypatch):
    monkeypatch.setattr(decision, "DATA", ("iris",))
    monkeypatch.setattr(anchors, "N_STARTS", 2)
    assert write(decision) == {"anchors.csv", "choosing-an-anchor.md"}
