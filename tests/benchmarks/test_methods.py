import pandas as pd
import pytest

from benchmarks.methods import COLUMNS, measure, tables
from consilience.collaboration.clustering import METHODS


@pytest.mark.parametrize("method", ["hierarchical", "mixture"])
def test_a_method_by_collaboration_is_compared_with_itself(method):
    agreement, with_institutions, classes, pooled = measure("wine", method, "", 0)
    assert agreement > 0.7
    assert with_institutions < 0.03
    assert min(classes, pooled) > 0.6


def test_tables_have_a_line_for_each_method_and_each_set():
    methods = list(METHODS)
    lines = [["wine", method, 0, 0.5, 0.0, 0.25, 0.75] for method in methods]
    text = tables(pd.DataFrame(lines, columns=COLUMNS))
    assert all(f"| {method} " in text for method in methods)
    assert "| wine " in text
