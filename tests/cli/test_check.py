"""100 kinds of broken tables: one run names all that is wrong with each, and shows no cell."""

import json
import random

import pandas as pd
import pytest

from consilience.exceptions import TableError
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.study import Study

TEXT = """
name = "ward round"
grid = {rows = ["north"], columns = ["lab"]}
[schema.lab]
age = {kind = "numeric", bounds = [700000, 800000]}
pulse = {kind = "numeric", bounds = [700000, 800000], missing = "fill", outside = "clip"}
ward = {kind = "categorical", categories = ["surgery", "medicine"]}
pain = {kind = "ordinal", categories = ["none", "some", "much"]}
[consensus]
"""
COLUMNS = ["id", "age", "pulse", "ward", "pain"]
N_ROWS = 12
SEED = 7


class Table:
    """A table whose numbers and ids are canaries: long, and all different."""

    def __init__(self, seed=SEED):
        rng = random.Random(seed)
        self.columns = {
            "id": [f"zq{rng.randrange(10**6, 10**7)}x" for _ in range(N_ROWS)],
            "age": [
                f"{rng.randrange(700_001, 799_999)}.{rng.randrange(11, 99)}" for _ in range(N_ROWS)
            ],
            "pulse": [
                f"{rng.randrange(700_001, 799_999)}.{rng.randrange(11, 99)}" for _ in range(N_ROWS)
            ],
            "ward": [("surgery", "medicine")[k % 2] for k in range(N_ROWS)],
            "pain": [("none", "some", "much")[k % 3] for k in range(N_ROWS)],
        }
        self.separator, self.encoding, self.end = ",", "utf-8", "\n"
        self.header = True
        self.lines_after = []

    def bytes(self):
        cells = [list(self.columns), *zip(*self.columns.values(), strict=True)]
        lines = [self.separator.join(self.quoted(c) for c in row) for row in cells]
        lines = [*(lines if self.header else lines[1:]), *self.lines_after]
        return (self.end.join(lines) + self.end).encode(self.encoding)

    def quoted(self, cell):
        return f'"{cell}"' if self.separator in cell and not cell.startswith('"') else cell

    def cells(self):
        return {cell for cells in self.columns.values() for cell in cells}


def put(column, *cells):
    """Return a fault that writes these cells over the first ones of a column."""

    def fault(table):
        table.columns[column][: len(cells)] = cells

    return fault


def rewrite(column, change):
    def fault(table):
        table.columns[column] = [change(cell) for cell in table.columns[column]]

    return fault


def rename(column, name):
    def fault(table):
        table.columns = {name if k == column else k: v for k, v in table.columns.items()}

    return fault


def without(column):
    def fault(table):
        del table.columns[column]

    return fault


def extra(name, cell="canary-9911"):
    def fault(table):
        table.columns[name] = [f"{cell}{k}" for k in range(N_ROWS)]

    return fault


def lines(*more):
    def fault(table):
        table.lines_after = list(more)

    return fault


def attribute(name, value):
    def fault(table):
        setattr(table, name, value)

    return fault


def repeat_first(table):
    table.columns["id"][1] = table.columns["id"][0]


def repeat_otherwise(table):
    table.columns["id"][1] = f" {table.columns['id'][0].upper()}"


def no_rows(table):
    table.columns = {name: [] for name in table.columns}


NUMBERS = {
    "text": "canary-1234",
    "decimal comma among points": "765432,15",
    "thousands by comma": "765,432.15",
    "thousands by apostrophe": "765'432.15",
    "below a limit": "<765432",
    "above a limit": "> 765432",
    "about": "~765432",
    "unit": "765432 mmol",
    "percent": "765432%",
    "day": "2023-07-14",
    "day with points": "14.07.2023",
    "question mark": "?",
    "dash": "-",
    "unknown": "unknown",
    "infinite": "inf",
    "overflow": "1e999",
    "two numbers": "765432 765433",
    "currency": "EUR 765432",
    "hexadecimal": "0x12AFFE",
    "star": "***",
}
SINGLE = {
    **{
        f"number: {k}": (put("age", v), ["'age' has 1 values that are not finite"])
        for k, v in NUMBERS.items()
    },
    **{
        f"pulse: {k}": (put("pulse", v), ["'pulse' has 1 values that are not finite"])
        for k, v in NUMBERS.items()
    },
    "above the bounds": (
        put("age", "912345.5"),
        ["'age' has 1 values outside", "0 below and 1 above"],
    ),
    "below the bounds": (
        put("age", "-612345.5"),
        ["'age' has 1 values outside", "1 below and 0 above"],
    ),
    "both": (put("age", "-612345.5", "912345.5"), ["'age' has 2 values outside"]),
    "clipped": (
        put("pulse", "912345.5"),
        ["'pulse' has 1 values outside", "set to the nearest bound"],
    ),
    "missing": (put("age", ""), ["'age' has 1 missing values", "rule is 'refuse'"]),
    "missing as NA": (put("age", "NA", "NULL", "nan"), ["'age' has 3 missing values"]),
    "missing and filled": (put("pulse", "", "NA"), ["'pulse' has 2 missing values, filled as"]),
    "missing category": (put("ward", "", "NA", "  "), ["'ward' has 3 missing values"]),
    "missing order": (put("pain", ""), ["'pain' has 1 missing values"]),
    "all missing": (rewrite("age", lambda cell: ""), ["'age' has 12 missing values"]),
    "unknown category": (
        put("ward", "canary-ward"),
        ["'ward' has 1 values that are none of", "1 otherwise"],
    ),
    "case of a category": (put("ward", "Surgery"), ["1 but for case, accents or punctuation"]),
    "accent in a category": (put("ward", "sürgery"), ["1 but for case, accents or punctuation"]),
    "dash in a category": (put("ward", "sur-gery"), ["1 but for case, accents or punctuation"]),
    "code for a category": (put("ward", "765432"), ["'ward' has 1 values that are none of"]),
    "unknown order": (put("pain", "canary-pain"), ["'pain' has 1 values that are none of"]),
    "number for an order": (put("pain", "765432.0"), ["'pain' has 1 values that are none of"]),
    "no column": (without("pain"), ["no column 'pain'"]),
    "two columns less": (
        lambda t: (without("pain")(t), without("age")(t)),
        ["no column 'pain'", "no column 'age'"],
    ),
    "case of a column": (rename("age", "AGE"), ["no column 'age', but 'AGE'"]),
    "blank in a column": (rename("age", " age"), ["no column 'age', but ' age'"]),
    "another name": (rename("age", "years"), ["no column 'age'", "also has 'years'"]),
    "one column more": (extra("note"), ["also has 'note'"]),
    "two columns more": (
        lambda t: (extra("note")(t), extra("memo")(t)),
        ["also has 'note'", "also has 'memo'"],
    ),
    "a nameless column": (extra(""), ["also has 'Unnamed: 5'"]),
    "no id column": (rename("id", "patient"), ["no column 'id' among its 5"]),
    "no header": (
        attribute("header", False),
        ["no column 'id'", "none of the columns of the study"],
    ),
    "constant column of text": (
        rewrite("age", lambda cell: "canary-7"),
        ["'age' has 12 values that"],
    ),
    "true for a number": (put("age", "True"), ["'age' has 1 values that are not finite"]),
    "a cell of two lines": (
        put("ward", '"canary-a\ncanary-b"'),
        ["'ward' has 1 values that are none"],
    ),
    "a very long cell": (put("ward", "canary" * 5000), ["'ward' has 1 values that are none of"]),
    "categories swapped": (
        lambda t: t.columns.update(ward=t.columns["pain"], pain=t.columns["ward"]),
        ["'ward' has 12 values", "'pain' has 12 values"],
    ),
    "no rows": (no_rows, ["the table has no rows"]),
    "repeated id": (repeat_first, ["1 rows repeat the id"]),
    "repeated but for case and blanks": (
        repeat_otherwise,
        ["1 rows repeat the id", "1 ids have spaces"],
    ),
    "empty id": (put("id", ""), ["1 rows have an empty id"]),
    "empty and blank ids": (put("id", "", " "), ["2 rows have an empty id"]),
    "ids with blanks": (rewrite("id", lambda cell: f" {cell}"), ["12 ids have spaces"]),
    "lost zeros": (
        lambda t: put("id", *map(str, range(8123395, 8123395 + 11)), "712339")(t),
        ["1 ids are numbers with fewer digits"],
    ),
    "ids with points": (
        rewrite("id", lambda cell: f"{cell[2:-1]}.0"),
        ["12 ids are written as numbers"],
    ),
    "ids with exponents": (put("id", "1.23E+05"), ["1 ids are written as numbers"]),
    "ids with unseen signs": (put("id", "zq12345\u200b"), ["1 ids have signs that cannot be seen"]),
    "a line too long": (
        lines("zq99x,765432.5,765432.5,surgery,none,canary"),
        ["1 lines have more cells"],
    ),
    "a line too short": (
        lines("zq99x,765432.5"),
        ["1 lines have fewer cells", "'ward' has 1 missing"],
    ),
    "an open quote": (lines('zq99x,765432.5,"765432'), ["a quote is opened and never closed"]),
    "separators within cells": (
        lines("zq99x,765,432.5,surgery,none,a,b"),
        ["1 lines have more cells"],
    ),
}
AT_ONCE = {
    "number and category": ["number: text", "unknown category"],
    "bounds and missing": ["above the bounds", "missing order"],
    "ids and columns": ["empty id", "one column more"],
    "ids and bounds": ["repeated id", "below the bounds"],
    "two columns and a line": ["number: unit", "unknown order", "a line too long"],
    "a column and its cells": ["case of a column", "unknown category"],
    "everything": [
        "number: below a limit", "pulse: text", "unknown category", "missing order",
        "one column more", "empty id",
    ],
    "short line and category": ["a line too short", "case of a category"],
    "no id and bounds": ["no id column", "above the bounds"],
    "filled and clipped and refused": ["pulse: unknown", "missing"],
    "blanks and categories": ["ids with blanks", "unknown category"],
    "quote and column": ["an open quote", "one column more"],
    "exponents and numbers": ["ids with exponents", "number: percent"],
    "lines and ids": ["a line too long", "repeated id"],
    "codes and bounds": ["code for a category", "above the bounds"],
    "zeros and missing": ["lost zeros", "missing category"],
    "two columns and an id": ["two columns more", "empty id"],
}  # fmt: skip
KINDS = {
    **{name: ([fault], said) for name, (fault, said) in SINGLE.items()},
    **{
        name: ([SINGLE[part][0] for part in parts], [w for part in parts for w in SINGLE[part][1]])
        for name, parts in AT_ONCE.items()
    },
}


def test_there_are_a_hundred_kinds():
    assert len(KINDS) >= 100


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
    public = {"surgery", "medicine", "none", "some", "much"}
    for cell in table.cells() - public - set(COLUMNS):
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
