from types import SimpleNamespace

import numpy as np
import pandas as pd

from consilience.collaboration.aggregates import aggregate_counts


def test_small_counts_and_totals_they_would_follow_from_are_left_empty():
    labels = np.repeat([0, 1, 0, 1], [20, 30, 40, 4])
    analyst = SimpleNamespace(
        partition=SimpleNamespace(labels=labels, n_clusters=2),
        joins={"a": SimpleNamespace(n_rows=50), "b": SimpleNamespace(n_rows=44)},
    )
    table = aggregate_counts(analyst)
    rows = {(r["row institution"], r.cluster): r.rows for _, r in table.iterrows()}
    assert (rows["a", 0], rows["b", 0]) == (20, 40)
    assert rows["all", 0] == 60
    assert pd.isna(rows["b", 1])
    assert pd.isna(rows["all", 1])
    assert rows["a", 1] == 30
