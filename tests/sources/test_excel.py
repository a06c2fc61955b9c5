from datetime import datetime

import pandas as pd
import pytest

from consilience.exceptions import MissingExtraError, TableError
from consilience.sources import excel
from consilience.sources.excel import read_excel
from consilience.sources.source import Kinds

KINDS = Kinds(frozenset({"age"}), frozenset({"id", "sex", "day"}))


@pytest.fixture
def book(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "ward.xlsx"
    table = pd.DataFrame(
        {
            "id": [7, 8, None, 9],
            "age": [40.5, "NA", None, 3],
            "sex": [1, 2, None, "1"],
            "day": [datetime(2023, 5, 1), "02.05.2023", None, None],
        }
    )
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="cover", index=False)
        table.to_excel(writer, sheet_name="data", index=False)
    return path


def test_cells_are_read_as_excel_shows_them(book):
    found = read_excel(book, "data", KINDS)
    assert found.told == "Excel, sheet 'data' of 2"
    assert found.table["id"].tolist() == ["7", "8", "9"]
    assert found.table["sex"].tolist() == ["1", "2", "1"]
    assert found.table["age"].iloc[[0, 2]].tolist() == [40.5, 3]
    assert found.table["age"].isna().tolist() == [False, True, False]
    assert found.table["day"].tolist()[:2] == ["2023-05-01", "02.05.2023"]
    [fault] = found.faults
    assert (fault.rows, fault.refused) == (1, False)


def test_the_first_sheet_is_read_unless_another_is_named(book):
    assert list(read_excel(book, None, Kinds()).table.columns) == ["a"]
    with pytest.raises(TableError, match=r"no sheet 'x'; it has \['cover', 'data'\]"):
        read_excel(book, "x", Kinds())


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"consilience\[io\]"):
        read_excel(tmp_path / "t.xlsx", None, Kinds())
