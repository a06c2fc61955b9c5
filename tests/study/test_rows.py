import numpy as np
import pandas as pd
import pytest

from consilience.exceptions import StudyError
from consilience.study.rows import cluster_table, column_of, read_rows
from consilience.study.study import Study

STUDY = Study.from_text("""
name = "example"
grid = {rows = ["people"], columns = ["bank"]}
ids = {duplicates = "first", empty = "drop"}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100], missing = "drop"}
[consensus]
""")


def test_rows_come_in_the_order_of_their_pseudonyms(tmp_path):
    table = pd.DataFrame({"id": ["a", "b", None, "a", "c"], "income": [1, 2, 3, 4, None]})
    table.to_csv(tmp_path / "t.csv", index=False)
    rows = read_rows(STUDY, "people/bank", tmp_path / "t.csv", "id", b"k" * 32)
    assert sorted(rows.kept) == [0, 1]
    assert [bytes(p) for p in rows.pseudonyms] == sorted(bytes(p) for p in rows.pseudonyms)
    assert rows.matrix.ravel().tolist() == [table.income[i] for i in rows.kept]
    assert len(rows.notes) == 2


def test_a_row_without_cluster_has_an_empty_cell():
    table = cluster_table(pd.Series(["a", "b"], name="id"), np.array([3, -1]))
    assert table.cluster.tolist() == [3, pd.NA]


def test_a_stranger_has_no_columns():
    with pytest.raises(StudyError, match="not a party"):
        column_of(STUDY, "people/other")
