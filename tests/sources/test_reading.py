import pandas as pd
import pytest

from consilience.exceptions import MissingExtraError, TableError
from consilience.sources import parquet, reading
from consilience.sources.reading import read_source, write_table
from consilience.sources.source import Kinds, Source


def test_parquet_keeps_its_types(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    table = pd.DataFrame({"id": [1, 2], "age": [3.0, None], "ward": ["NA", None]})
    table.to_parquet(path)
    found = read_source(Source(path, "id"), Kinds())
    assert found.told == "Parquet"
    assert found.table["id"].tolist() == [1, 2]
    assert found.table["ward"][0] == "NA"
    assert found.table.isna().equals(table.isna())
    assert [dtype.kind for dtype in found.table.dtypes] == ["i", "f", "U"]


def test_parquet_without_its_extra_says_what_to_install(tmp_path, monkeypatch):
    for module in (parquet, reading):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"consilience\[io\]"):
        read_source(Source(tmp_path / "t.parquet", "id"), Kinds())
    with pytest.raises(MissingExtraError, match=r"consilience\[io\]"):
        write_table(pd.DataFrame(), tmp_path / "t.parquet")


def test_columns_to_ignore_are_gone_and_unknown_ones_are_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,age,note\n1,2,x\n")
    assert list(read_source(Source(path, "id", ignore=("note",)), Kinds()).table) == ["id", "age"]
    with pytest.raises(TableError, match=r"no columns \['nota'\] to ignore"):
        read_source(Source(path, "id", ignore=("nota",)), Kinds())


@pytest.mark.parametrize("name", ["t.parquet", "t.xlsx", "t.csv.gz"])
def test_what_is_no_table_is_refused_without_a_word_of_it(tmp_path, name):
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    path = tmp_path / name
    path.write_bytes(b"SECRET,SECRET\nSECRET")
    with pytest.raises((TableError, OSError)) as caught:
        read_source(Source(path, "id"), Kinds())
    assert "SECRET" not in str(caught.value)


def test_labels_are_written_with_empty_cells_for_none(tmp_path):
    table = pd.DataFrame({"id": ["a", "b"], "cluster": pd.array([1, None], dtype="Int64")})
    assert write_table(table, tmp_path / "x.csv") == b"id,cluster\na,1\nb,\n"
