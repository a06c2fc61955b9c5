"""What is read in parts is what is read at once, whatever the source."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from consilience.exceptions import TableError
from consilience.sources import delimited, parquet, parts
from consilience.sources.parts import NotInPartsError, TableParts, comes_in_parts
from consilience.sources.reading import read_source
from consilience.sources.source import Kinds, Source

KINDS = Kinds(frozenset({"age"}), frozenset({"id", "ward"}))
TABLE = pd.DataFrame(
    {
        "id": [f"0{k}" for k in range(95)],
        "age": np.where(np.arange(95) % 7, np.arange(95) / 4, np.nan),
        "ward": np.where(np.arange(95) % 5, "north", None),
    }
)


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 20)
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 20)


@pytest.fixture(params=["csv", "parquet", "sqlite"])
def source(request, tmp_path):
    """The same table in a file of lines, a file of columns, and a database."""
    path = tmp_path / f"ward.{request.param}"
    if request.param == "csv":
        TABLE.to_csv(path, index=False)
        return Source(path, "id")
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
        TABLE.to_parquet(path, index=False)
        return Source(path, "id")
    pytest.importorskip("sqlalchemy")
    with closing(sqlite3.connect(path)) as connection, connection:
        TABLE.to_sql("t", connection, index=False)
    (tmp_path / "q.sql").write_text("SELECT * FROM t")
    return Source(f"sqlite:///{path}", "id", query=tmp_path / "q.sql")


def plain(table):
    texts = table[["id", "ward"]].astype("string").fillna("").astype(object)
    return texts.assign(age=table["age"].astype(float).to_numpy(dtype=float, na_value=np.nan))


def test_parts_are_the_table_as_often_as_it_is_read(source, tmp_path):
    with TableParts(source, KINDS, tmp_path) as table:
        for _ in range(2):
            found = list(table)
            whole = plain(pd.concat(found, ignore_index=True))
            pd.testing.assert_frame_equal(whole, plain(read_source(source, KINDS).table))
        assert len(found) > 1 or source.query is not None
        ids = pd.concat(table.of(["id"]), ignore_index=True)
        assert list(ids) == ["id"]
        assert ids["id"].astype("string").tolist() == TABLE["id"].tolist()
        pd.testing.assert_frame_equal(plain(table.read_whole().table), whole)


def test_columns_are_ignored_in_every_part(source, tmp_path):
    with TableParts(replace(source, ignore=("age",)), KINDS, tmp_path) as table:
        assert {tuple(part) for part in table} == {("id", "ward")}
    with (
        TableParts(replace(source, ignore=("nothing",)), KINDS, tmp_path) as table,
        pytest.raises(TableError, match=r"no columns \['nothing'\] to ignore"),
    ):
        list(table)


def test_a_query_is_run_once(tmp_path, monkeypatch):
    runs = []

    def run(source, kinds, file):
        runs.append(1)
        pa = pytest.importorskip("pyarrow")
        with pa.ipc.new_file(file, pa.schema([("id", pa.string())])) as writer:
            writer.write_batch(pa.RecordBatch.from_pydict({"id": ["a"]}))

    monkeypatch.setattr(parts, "spill_database", run)
    with TableParts(Source("sqlite:///x", "id"), KINDS, tmp_path) as table:
        assert [len(part) for _ in range(3) for part in table] == [1, 1, 1]
        table.read_whole()
    assert runs == [1]


@pytest.mark.parametrize("line", ["7", "7,1,north,more"])
def test_lines_that_are_too_short_or_too_long_take_all_of_it(tmp_path, line):
    path = tmp_path / "t.csv"
    path.write_text("id,age,ward\n" + "1,2,south\n" * 50 + line + "\n")
    with (
        TableParts(Source(path, "id"), KINDS, tmp_path) as table,
        pytest.raises(NotInPartsError),
    ):
        list(table)


def test_large_files_and_databases_come_in_parts(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("id,age\n1,2\n")
    assert not comes_in_parts(Source(path, "id"))
    monkeypatch.setattr(parts, "LARGE_BYTES", 5)
    assert comes_in_parts(Source(path, "id"))
    assert not comes_in_parts(Source(path, "id", in_memory=True))
    sheet = path.rename(tmp_path / "t.xlsx")
    assert not comes_in_parts(Source(sheet, "id"))
