import numpy as np
import pandas as pd
import pytest

from benchmarks.wide import MEASURES, likeness, measure, tables


@pytest.mark.parametrize("target", ["scaled", "population"])
def test_few_rows_of_many_columns_are_compared_with_the_pooled_ones(target):
    X = np.random.default_rng(0).random((40, 80)) / 10
    X[:20, :20] += 0.5
    alike, agreement, twice, _ = measure(X, 2, target, 0)
    assert alike > 0.9
    assert agreement == twice == 1.0


def test_likeness_of_other_rows_is_small():
    rng = np.random.default_rng(0)
    assert likeness(rng.normal(size=(60, 5)), rng.normal(size=(60, 5))) < 0.3


def test_tables_have_a_line_for_each_set_and_target():
    lines = [["leukemia", 72, 2000, target, 0, 0.9, 0.8, 1.0, 3.0] for target in "ab"]
    results = pd.DataFrame(lines, columns=["data", "rows", "columns", "target", "trial", *MEASURES])
    assert "| held out | leukemia | 72 | 2000 | b |" in tables(results)
