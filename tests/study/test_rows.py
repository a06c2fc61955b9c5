"""A party's table as the study says: which rows take part, in which order, with which class."""

import numpy as np
import pandas as pd
import pytest

from consilience.exceptions import StudyError, TableError
from consilience.sources.source import Source
from consilience.study.rows import beside_ids, cluster_table, read_rows
from consilience.study.study import Study

TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank"]}
ids = {duplicates = "first", empty = "drop"}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100], missing = "drop"}
"""
STUDY = Study.from_text(TEXT + "[consensus]")
KEY = b"k" * 32


def read(tmp_path, table, study=STUDY, **options):
    table.to_csv(tmp_path / "t.csv", index=False)
    return read_rows(study, "people/bank", Source(tmp_path / "t.csv", "id"), KEY, **options)


def test_rows_come_in_the_order_of_their_pseudonyms_and_those_left_out_are_noted(tmp_path):
    table = pd.DataFrame({"id": ["a", "b", None, "a", "c"], "income": [1, 2, 3, 4, None]})
    rows = read(tmp_path, table)
    assert sorted(rows.kept) == [0, 1]
    assert [bytes(p) for p in rows.pseudonyms] == sorted(bytes(p) for p in rows.pseudonyms)
    assert rows.matrix.ravel().tolist() == [table.income[i] for i in rows.kept]
    assert rows.notes == [
        "1 rows have an empty id, and are left out.",
        "1 rows repeat the id of an earlier row, and are left out.",
        "column 'income' has 1 missing value, their rows left out.",
    ]


def test_neither_the_order_of_a_table_nor_the_writing_of_its_ids_changes_the_rows(tmp_path):
    table = pd.DataFrame({"id": ["A-1", "A-2", "A-3"], "income": [1.0, 2, 3]})
    first = read(tmp_path, table)
    turned = table.iloc[::-1].assign(id=lambda t: " " + t["id"].str.lower() + "\t")
    again = read(tmp_path, turned)
    assert (first.pseudonyms == again.pseudonyms).all()
    assert (first.matrix == again.matrix).all()
    assert not first.notes


def test_the_table_is_kept_whole_where_it_is_asked_for(tmp_path):
    table = pd.DataFrame({"id": ["a", "b"], "income": [1.0, None]})
    assert read(tmp_path, table).table is None
    rows = read(tmp_path, table, with_table=True)
    assert list(rows.table.columns) == ["income"]
    assert len(rows.table) == 2


def test_classes_are_texts_and_no_features(tmp_path):
    learning = '[learning]\nholder = "bank"\ntarget = "ill"\nclasses = ["1", "2"]'
    learning += '\nlabels = "distribution"\nthreshold = 0.3'
    study = Study.from_text(TEXT + learning)
    classes = pd.array([1, None, 2], dtype="Int64")
    table = pd.DataFrame({"id": ["a", "b", "c"], "income": [1.0, 2, 3], "ill": classes})
    rows = read(tmp_path, table, study)
    assert rows.target.codes[np.argsort(rows.kept)].tolist() == [0, -1, 1]
    assert rows.target.categories.tolist() == ["1", "2"]
    assert rows.matrix.shape == (3, 1)


def test_a_row_without_cluster_has_an_empty_cell():
    table = cluster_table(pd.Series(["a", "b"], name="id"), np.array([3, -1]))
    assert table.cluster.tolist() == [3, pd.NA]


@pytest.mark.parametrize("name", ["cluster", "prediction"])
def test_an_id_column_called_as_that_of_the_labels_is_refused(name):
    with pytest.raises(TableError, match="Rename it"):
        beside_ids(pd.Series(["a"], name=name), name, ["x"])


def test_a_stranger_has_no_rows(tmp_path):
    with pytest.raises(StudyError, match="not a party"):
        read_rows(STUDY, "people/other", Source(tmp_path / "t.csv", "id"), KEY)
