"""The SMOTE tables: every published cell stays, one trial runs, missing data is said."""

import pandas as pd
import pytest

from benchmarks.smote_anchors import page, run
from benchmarks.tables import CELL, published


def test_every_table_of_the_paper_is_there():
    reference = published("smote_anchors")
    assert set(reference.table) == {f"Table {k}" for k in range(1, 8)}
    assert not reference.duplicated(CELL).any()
    assert reference.query("table == 'Table 4' and method == 'DC(SMOTE)' and metric == 'ACC'")[
        "published"
    ].item() == pytest.approx(0.85)


def test_one_trial_of_the_artificial_set_keeps_the_order_of_the_paper():
    frame = run._table_1(1, None)
    ours = frame.set_index(["method", "metric"]).ours
    assert ours["DC(SMOTE)", "ACC"] > ours["Local", "ACC"] + 0.1
    assert ours["DC(SMOTE)", "Dice3"] == 1.0
    assert ours["DC(raw)", "AMD(raw)"] < 1e-6 < ours["DC(SMOTE)", "AMD(raw)"]
    assert frame.published.notna().sum() == (published("smote_anchors").table == "Table 1").sum()


def test_without_the_credit_file_its_cells_stay_empty():
    frame = run._tables_2_and_3(1, None)
    assert isinstance(frame, pd.DataFrame)
    assert frame.ours.isna().all()
    assert len(frame) > 30


def test_the_page_knows_every_part():
    assert tuple(run.PARTS) == page.PARTS
