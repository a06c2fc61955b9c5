"""A hundred kinds of broken tables, and what is to be said of each.

Numbers, ids, days and texts are canaries: none of them may be shown.
"""

import random

__all__ = ["COLUMNS", "KINDS", "PUBLIC", "SINGLE", "TEXT", "Table", "rewrite"]

TEXT = """
name = "ward round"
kind = "classes"
grid = {rows = ["north"], columns = ["lab"]}
learning = {holder = "lab", target = "ill", classes = ["healthy", "poorly"]}
[schema.lab]
age = {kind = "numeric", bounds = [700000, 800000]}
pulse = {kind = "numeric", bounds = [700000, 800000], missing = "fill", outside = "clip"}
ward = {kind = "categorical", categories = ["surgery", "medicine"]}
pain = {kind = "ordinal", categories = ["none", "some", "much"]}
admitted = {kind = "date", first = "2070-01-01", last = "2079-12-31"}
"""
COLUMNS = ["id", "age", "pulse", "ward", "pain", "admitted", "ill"]
PUBLIC = {"surgery", "medicine", "none", "some", "much", "healthy", "poorly"}
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
            "admitted": [
                f"207{k % 9}-{rng.randrange(1, 13):02}-{rng.randrange(13, 29)}"
                for k in range(N_ROWS)
            ],
            "ill": [("healthy", "poorly")[k % 2] for k in range(N_ROWS)],
        }
        self.separator, self.encoding, self.end = ",", "utf-8", "\n"
        self.header, self.called = True, {}
        self.lines_before, self.lines_after = [], []

    def bytes(self):
        cells = [
            [self.called.get(n, n) for n in self.columns],
            *zip(*self.columns.values(), strict=True),
        ]
        lines = [self.separator.join(self.quoted(c) for c in row) for row in cells]
        lines = [*self.lines_before, *(lines if self.header else lines[1:]), *self.lines_after]
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
    "thousands by blank": "765 432.15",
    "two points": "765.432.15",
    "a minus behind": "765432-",
    "in brackets": "(765432)",
    "fraction": "765432/7",
    "give and take": "765432±3",
    "ratio": "765432:1",
    "span": "765432-765439",
    "letter for a digit": "7O5432",
    "error of a spreadsheet": "#DIV/0!",
    "formula": "=A1+765432",
    "list": "[765432]",
    "record": "{v:765432}",
    "time": "12:34:56",
    "code": "R-765432",
}
DAYS = {
    "text": "canary-day",
    "no such day": "2071-02-30",
    "no such month": "2071-13-14",
    "month first or day first": "03/04/2071",
    "year of two figures": "14.07.71",
    "name of a month": "14 July 2071",
    "year alone": "2071",
    "days of a spreadsheet": "62648",
    "day and span": "2071-07-14 to 2071-07-19",
    "week": "2071-W28",
    "month alone": "2071-07",
    "unknown": "unknown",
}
SINGLE = {
    **{
        f"day: {k}": (put("admitted", v), ["'admitted' has 1 value that cannot be read as days"])
        for k, v in DAYS.items()
    },
    "day before the first": (
        put("admitted", "2069-07-14"),
        ["'admitted' has 1 value outside", "[2070-01-01, 2079-12-31]", 'first = "2069-01-01"'],
    ),
    "day after the last": (
        put("admitted", "2081-07-14"),
        ["0 below and 1 above", 'last = "2081-12-31"'],
    ),
    "missing day": (put("admitted", "", "  "), ["'admitted' has 2 missing values"]),
    "unknown class": (
        put("ill", "canary-class"),
        ["'ill' has 1 row with a class that is not among the 2"],
    ),
    "case of a class": (put("ill", "Healthy"), ["1 but for case, accents or punctuation"]),
    "class as a number": (put("ill", "765432"), ["not among the 2 classes"]),
    "missing class": (put("ill", ""), ["1 row without a class"]),
    "no classes": (without("ill"), ["no column 'ill', which holds the classes"]),
    "all ids the same": (rewrite("id", lambda cell: "zq-canary"), ["11 rows repeat the id"]),
    "no id at all": (rewrite("id", lambda cell: ""), ["12 rows have an empty id"]),
    "a column twice": (
        lambda t: (extra("again")(t), attribute("called", {"again": "age"})(t)),
        ["has 'age' twice"],
    ),
    "a blank that is none in a column": (rename("age", "age\u00a0"), ["no column 'age', but"]),
    "units below the names": (
        lambda t: [cells.insert(0, "canary-unit") for cells in t.columns.values()],
        [
            "'age' has 1 value that cannot be read as finite",
            "'ward' has 1",
            "'admitted' has 1",
            "'ill' has 1",
        ],
    ),
    "a total below": (
        lines("canary-total,765432.5,,,,,"),
        ["'ward' has 1 missing", "'pain' has 1 missing", "'admitted' has 1 missing"],
    ),
    "a title above the names": (
        attribute("lines_before", ["canary-title of the ward"]),
        ["more cells than the header", "no column 'id'", "none of the columns of the study"],
    ),
    "a separator behind every line": (extra("", ""), ["also has 'Unnamed: 7'"]),
    **{
        f"number: {k}": (put("age", v), ["'age' has 1 value that cannot be read as finite"])
        for k, v in NUMBERS.items()
    },
    "above the bounds": (
        put("age", "912345.5"),
        ["'age' has 1 value outside", "0 below and 1 above"],
    ),
    "below the bounds": (
        put("age", "-612345.5"),
        ["'age' has 1 value outside", "1 below and 0 above"],
    ),
    "both": (put("age", "-612345.5", "912345.5"), ["'age' has 2 values outside"]),
    "clipped": (
        put("pulse", "912345.5"),
        ["'pulse' has 1 value outside", "set to the nearest bound"],
    ),
    "missing": (put("age", ""), ["'age' has 1 missing value", "rule is 'refuse'"]),
    "missing as NA": (put("age", "NA", "NULL", "nan"), ["'age' has 3 missing values"]),
    "missing and filled": (put("pulse", "", "NA"), ["'pulse' has 2 missing values, filled as"]),
    "missing category": (put("ward", "", "NA", "  "), ["'ward' has 3 missing values"]),
    "missing order": (put("pain", ""), ["'pain' has 1 missing value"]),
    "all missing": (rewrite("age", lambda cell: ""), ["'age' has 12 missing values"]),
    "unknown category": (
        put("ward", "canary-ward"),
        ["'ward' has 1 value outside", "1 otherwise"],
    ),
    "case of a category": (put("ward", "Surgery"), ["1 but for case, accents or punctuation"]),
    "accent in a category": (put("ward", "sürgery"), ["1 but for case, accents or punctuation"]),
    "dash in a category": (put("ward", "sur-gery"), ["1 but for case, accents or punctuation"]),
    "code for a category": (put("ward", "765432"), ["'ward' has 1 value outside"]),
    "unknown order": (put("pain", "canary-pain"), ["'pain' has 1 value outside"]),
    "number for an order": (put("pain", "765432.0"), ["'pain' has 1 value outside"]),
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
    "a nameless column": (extra(""), ["also has 'Unnamed: 7'"]),
    "no id column": (rename("id", "patient"), ["no column 'id' among its 7"]),
    "no header": (
        attribute("header", False),
        ["no column 'id'", "none of the columns of the study"],
    ),
    "constant column of text": (
        rewrite("age", lambda cell: "canary-7"),
        ["'age' has 12 values that"],
    ),
    "true for a number": (put("age", "True"), ["'age' has 1 value that cannot be read as finite"]),
    "a cell of two lines": (
        put("ward", '"canary-a\ncanary-b"'),
        ["'ward' has 1 value outside"],
    ),
    "a very long cell": (put("ward", "canary" * 5000), ["'ward' has 1 value outside"]),
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
        lines("zq99x,765432.5,765432.5,surgery,none,2071-07-14,poorly,canary"),
        ["1 lines have more cells"],
    ),
    "a line too short": (
        lines("zq99x,765432.5"),
        ["1 lines have fewer cells", "'ward' has 1 missing"],
    ),
    "an open quote": (lines('zq99x,765432.5,"765432'), ["a quote is opened and never closed"]),
    "separators within cells": (
        lines("zq99x,765,432.5,765432.5,surgery,none,2071-07-14,poorly,a"),
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
        "number: below a limit", "unknown category", "missing order",
        "one column more", "empty id",
    ],
    "short line and category": ["a line too short", "case of a category"],
    "no id and bounds": ["no id column", "above the bounds"],
    "filled and refused": ["missing and filled", "missing"],
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
