"""100 kinds of broken tables: one run names all that is wrong with each, and shows no cell."""

import json

import pandas as pd
import pytest

from broken_tables import COLUMNS, KINDS, PUBLIC, SINGLE, TEXT, Table, rewrite
from consilience.exceptions import TableError
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.study import Study


def test_there_are_a_hundred_kinds():
    assert len(SINGLE) >= 100


@pytest.fixture
def study():
    return Study.from_text(TEXT)


@pytest.mark.parametrize("name", KINDS)
def test_one_run_names_everything_and_shows_nothing(tmp_path, study, name):
    faults, said = KINDS[name]
    table = Table()
    for fault in faults:
        fault(table)
    path = tmp_path / "table.csv"
    path.write_bytes(table.bytes())
    checked = check_table(study, "north/lab", Source(path, "id"))
    found = " ".join(f"{fault} {fault.terms}" for fault in checked.faults)
    for words in said:
        assert words in found, f"{words!r} is not said in: {found}"
    shown = f"{found} {checked.told} {checked.shape}"
    for cell in table.cells() - PUBLIC - set(COLUMNS):
        if len(cell.strip()) > 3 and cell not in ("NULL", "unknown"):
            assert cell not in shown, f"{cell!r} is a cell, and is shown"
    refused = any(fault.refused for fault in checked.faults)
    assert checked.passes != refused
    if refused:
        with pytest.raises(TableError):
            checked.accepted()
    else:
        assert len(checked.accepted().matrix)


WRITINGS = {
    "semicolons and commas": {"separator": ";", "comma": True, "encoding": "cp1252", "end": "\r\n"},
    "tabs": {"separator": "\t", "encoding": "utf-8-sig"},
    "bars": {"separator": "|", "end": "\r\n"},
    "utf-16": {"encoding": "utf-16"},
    "quoted decimal commas": {"comma": True},
}


@pytest.mark.parametrize("writing", WRITINGS.values(), ids=WRITINGS)
def test_no_writing_of_a_table_is_a_fault(tmp_path, study, writing):
    table = Table()
    if writing.get("comma"):
        for column in ("age", "pulse"):
            rewrite(column, lambda cell: cell.replace(".", ","))(table)
    for name in writing.keys() - {"comma"}:
        setattr(table, name, writing[name])
    path = tmp_path / "table.csv"
    path.write_bytes(table.bytes())
    checked = check_table(study, "north/lab", Source(path, "id"))
    assert not checked.faults, checked.faults
    (tmp_path / "plain.csv").write_bytes(Table().bytes())
    plain = check_table(study, "north/lab", Source(tmp_path / "plain.csv", "id"))
    assert (checked.accepted().matrix == plain.accepted().matrix).all()


def as_frame():
    frame = pd.DataFrame(Table().columns)
    return frame.astype({"age": float, "pulse": float})


def with_title(frame):
    """Return a table as a spreadsheet shows it under a title."""
    rows = [
        ["canary-title", *[None] * 6],
        list(frame.columns),
        *frame.astype(str).to_numpy().tolist(),
    ]
    return pd.DataFrame(rows[1:], columns=[str(cell or f"c{k}") for k, cell in enumerate(rows[0])])


TYPED = {
    "numbers as texts": (
        lambda f: f.assign(age=f.age.astype(str) + " mg"),
        ["'age' has 12 values that cannot be read", "12 with a unit or a word behind"],
    ),
    "days for numbers": (
        lambda f: f.assign(age=pd.to_datetime(f.admitted)),
        ["'age' has 12 values that cannot be read as finite numbers: 12 days"],
    ),
    "numbers for days": (
        lambda f: f.assign(admitted=f.age),
        ["'admitted' has 12 values that cannot be read as days"],
    ),
    "numbers for categories": (
        lambda f: f.assign(ward=f.age),
        ["'ward' has 12 values outside"],
    ),
    "nothing in it": (lambda f: f.assign(age=None), ["'age' has 12 missing values"]),
    "no rows": (lambda f: f.iloc[:0], ["the table has no rows"]),
    "a title above the names": (with_title, ["no column 'id'", "none of the columns"]),
    "several at once": (
        lambda f: f.assign(pain="canary-pain", note="canary").drop(columns="ward"),
        ["no column 'ward'", "also has 'note'", "'pain' has 12 values outside"],
    ),
}


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
@pytest.mark.parametrize("name", TYPED)
def test_typed_tables_are_told_of_in_the_same_words(tmp_path, study, name, ending):
    spoil, said = TYPED[name]
    path = tmp_path / f"table.{ending}"
    frame = spoil(as_frame())
    pytest.importorskip({"parquet": "pyarrow", "xlsx": "openpyxl"}[ending])
    write = frame.to_parquet if ending == "parquet" else frame.to_excel
    write(path, index=False)
    checked = check_table(study, "north/lab", Source(path, "id"))
    found = " ".join(map(str, checked.faults))
    for words in said:
        assert words in found, f"{words!r} is not said in: {found}"
    shown = f"{found} {checked.told} {checked.shape}"
    assert not [cell for cell in Table().cells() - PUBLIC if cell in shown]
    assert "canary" not in shown


UNREADABLE = {
    "nothing": b"",
    "zeros": b"canary" + bytes(500),
    "a page": b"<html><body><table><tr><td>canary</td></tr></table></body></html>",
    "an archive": b"PK\x03\x04canary" + bytes(range(256)),
    "a picture": b"\x89PNG\r\n\x1a\ncanary" + bytes(range(256)),
}


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "xlsx"])
@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_table_is_refused_in_words(tmp_path, study, name, ending):
    path = tmp_path / f"table.{ending}"
    path.write_bytes(UNREADABLE[name])
    try:
        checked = check_table(study, "north/lab", Source(path, "id"))
    except TableError as error:
        said = str(error)
    else:
        assert not checked.passes
        said = " ".join(map(str, checked.faults))
    assert "canary" not in said
    assert said.endswith(".")


@pytest.fixture
def broken(tmp_path):
    """Return a study and a table with a text, a missing value and an empty id in it."""
    table = Table()
    for name in ("number: text", "missing order", "empty id"):
        SINGLE[name][0](table)
    (tmp_path / "study.toml").write_text(TEXT)
    (tmp_path / "table.csv").write_bytes(table.bytes())
    return tmp_path


def test_the_command_shows_it_all_and_writes_nothing(cli, broken):
    before = sorted(path.name for path in broken.iterdir())
    words = ["check", broken / "study.toml", "--as", "north/lab", "--data", broken / "table.csv"]
    result = cli(*words)
    assert result.code == 1
    assert "3 refused" in result.out
    assert "separator: comma" in result.out
    assert "canary" not in result.out + result.err
    told = json.loads(cli(*words, "--json").out)
    assert told["passes"] is False
    assert sorted(fault["column"] for fault in told["faults"]) == ["", "age", "pain"]
    assert sorted(path.name for path in broken.iterdir()) == before


def test_a_table_that_fits_says_what_comes_next(cli, broken):
    (broken / "table.csv").write_bytes(Table().bytes())
    words = ["check", broken / "study.toml", "--as", "north/lab", "--data", broken / "table.csv"]
    result = cli(*words)
    assert (result.code, "next: consilience audit" in result.err) == (0, True)


def test_without_a_study_it_is_a_first_look(cli, broken):
    result = cli("check", "--data", broken / "table.csv")
    assert result.code == 0, result.err
    assert "What the columns seem to be" in result.out
    assert "canary" not in result.out
    told = json.loads(cli("check", "--data", broken / "table.csv", "--json").out)
    assert {seen["name"]: seen["kind"] for seen in told["columns"]}["age"] == "numeric"


def test_a_study_needs_a_role_and_a_role_a_study(cli, broken):
    data = ("--data", broken / "table.csv")
    assert "--as is missing" in cli("check", broken / "study.toml", *data).err
    assert "no study was given" in cli("check", "--as", "north/lab", *data).err


def test_columns_are_ignored_and_ids_named(cli, broken):
    table = pd.read_csv(broken / "table.csv", dtype=str, keep_default_na=False)
    table = table.rename(columns={"id": "who"}).assign(note="x")
    table.to_csv(broken / "table.csv", index=False)
    words = ["check", broken / "study.toml", "--as", "north/lab", "--data", broken / "table.csv"]
    told = json.loads(cli(*words, "--json", "--id", "who", "--ignore", "note").out)
    assert not any("note" in fault["what"] for fault in told["faults"])
    assert not any("'id'" in fault["what"] for fault in told["faults"])
