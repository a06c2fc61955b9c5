"""Parquet files: the same table as pandas reads, in pieces, and nothing that is not needed."""

import numpy as np
import pandas as pd
import pytest

from consilience.exceptions import TableError
from consilience.sources import parquet
from consilience.sources.parquet import read_parquet
from consilience.sources.source import Kinds

pa = pytest.importorskip("pyarrow")
NUMBERS = Kinds(frozenset({"age", "dose"}))


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "id": [f"P{k}" for k in range(9)],
            "age": [*range(8), None],
            "dose": np.linspace(0, 1, 9),
            "ward": pd.Categorical(["n", "s", "n"] * 3),
            "seen": pd.date_range("2023-01-01", periods=9),
            "fit": [True, False, True] * 3,
        }
    )


def test_pieces_make_the_table_pandas_reads(table, tmp_path, monkeypatch):
    table.to_parquet(tmp_path / "t.parquet", index=False)
    whole = read_parquet(tmp_path / "t.parquet", NUMBERS).table
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 2)
    pieces = read_parquet(tmp_path / "t.parquet", NUMBERS).table
    assert pieces.equals(whole)
    assert list(pieces.columns) == list(table.columns)
    for name in ("id", "ward", "seen"):
        assert pieces[name].tolist() == table[name].tolist()
    assert np.allclose(pieces["dose"].to_numpy(float), table["dose"])
    assert pieces["age"].isna().tolist() == table["age"].isna().tolist()


def test_an_ignored_column_is_not_decoded_and_an_unknown_one_is_named(table, tmp_path):
    table.to_parquet(tmp_path / "t.parquet")
    found = read_parquet(tmp_path / "t.parquet", NUMBERS, ["ward", "fit"])
    assert list(found.table.columns) == ["id", "age", "dose", "seen"]
    with pytest.raises(TableError, match=r"no columns \['note'\] to ignore"):
        read_parquet(tmp_path / "t.parquet", NUMBERS, ["note"])


def test_row_numbers_of_pandas_are_no_column(table, tmp_path):
    table[table.dose > 0.2].to_parquet(tmp_path / "t.parquet")
    assert list(read_parquet(tmp_path / "t.parquet", NUMBERS).table) == list(table)


def test_what_is_not_a_number_is_missing(tmp_path):
    values = pa.array([1.5, float("nan"), None])
    pa.parquet.write_table(pa.table({"dose": values}), tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet", NUMBERS).table["dose"].isna().sum() == 2


def test_no_rows_still_have_columns(table, tmp_path):
    table[:0].to_parquet(tmp_path / "t.parquet", index=False)
    found = read_parquet(tmp_path / "t.parquet", NUMBERS).table
    assert (len(found), list(found)) == (0, list(table))
