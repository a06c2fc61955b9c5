"""Tables in text files: CSV and its kin."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from consilience.exceptions import TableError
from consilience.sources.dialect import Dialect, detect, open_binary
from consilience.sources.faults import Fault
from consilience.sources.source import Kinds

__all__ = [
    "NOT_A_NUMBER",
    "Found",
    "delimited_parts",
    "lines_fit",
    "may_end_early",
    "read_delimited",
]

ROWS_AT_ONCE = 50_000

NOT_A_NUMBER = ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None"]
"""How a missing number is written."""


@dataclass(frozen=True, eq=False)
class Found:
    """A table as it was found.

    Parameters
    ----------
    table : DataFrame
        With the id column.
    told : str
        How it was read, in words.
    faults : list of Fault
        What is wrong with the writing; the table is what could be made of it.
    decimal : str
        The decimal sign of numbers that are still texts.
    """

    table: pd.DataFrame
    told: str
    faults: list[Fault] = field(default_factory=list)
    decimal: str = "."


def read_delimited(path: Path, kinds: Kinds, given: Dialect | None = None) -> Found:
    """Read a text file by the kinds of its columns.

    A file with lines that are too long or too short is read all the same, cell by cell, so that
    what else is wrong can be named with it.
    """
    given = given or Dialect()
    dialect = detect(path, given)
    faults: list[Fault] = []
    try:
        table = _read(path, kinds, dialect)
        if may_end_early(table):
            faults = _survey(path, dialect)[1]
    except Exception:  # readers fail in many ways, and their own words may quote a cell
        table, faults = _survey(path, dialect)
        if not faults:
            raise
        numbers = [name for name in table.columns if name in kinds.numbers]
        for name in numbers:
            table[name] = table[name].mask(table[name].isin(NOT_A_NUMBER))
    return Found(table, dialect.told(given), faults, dialect.decimal or ".")


def may_end_early(table: pd.DataFrame) -> bool:
    """Tell whether a line may end too early: it lacks its last cell, at least."""
    last = table.iloc[:, -1]
    return bool((last.isna() | (last.astype("string") == "")).any())


def delimited_parts(path: Path, kinds: Kinds, dialect: Dialect) -> Iterator[pd.DataFrame]:
    """Read a text file part by part; one with lines too long fails as its reader does."""
    options = _options(path, kinds, dialect)
    with _reading(), pd.read_csv(**options, chunksize=ROWS_AT_ONCE) as parts:
        yield from parts


def _read(path: Path, kinds: Kinds, dialect: Dialect) -> pd.DataFrame:
    with _reading():
        table: pd.DataFrame = pd.read_csv(**_options(path, kinds, dialect))
    return table


@contextmanager
def _reading() -> Iterator[None]:
    with warnings.catch_warnings():
        # Rows longer than the header; without index_col their first cell would become an index.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        yield


def _options(path: Path, kinds: Kinds, dialect: Dialect) -> dict[str, Any]:
    """Return how a text file is read: which columns hold numbers, which texts."""
    with open_binary(path) as stream:
        text = io.TextIOWrapper(stream, dialect.encoding, newline="")
        head = next(csv.reader(text, delimiter=str(dialect.separator)), [])
    if not head:
        raise TableError(f"{path.name} is empty: a table starts with a line of column names.")
    numbers = [name for name in head if name in kinds.numbers]
    others = [name for name in head if name not in kinds.numbers]
    texts = [name for name in others if kinds.texts is None or name in kinds.texts]
    return {
        "filepath_or_buffer": path,
        "sep": dialect.separator,
        "decimal": dialect.decimal or ".",
        "encoding": dialect.encoding,
        "dtype": dict.fromkeys(texts, "string"),
        # "None" and "NA" may be categories or ids: only an empty text is a missing one.
        "keep_default_na": False,
        "na_values": {**dict.fromkeys(numbers, NOT_A_NUMBER), **dict.fromkeys(texts, "")},
        "index_col": False,
        "compression": "gzip" if path.suffix == ".gz" else None,
    }


def lines_fit(path: Path, dialect: Dialect) -> bool:
    """Tell whether every line has as many cells as the header; no more than one is held."""
    with open_binary(path) as stream:
        text = io.TextIOWrapper(stream, dialect.encoding, errors="replace", newline="")
        records = csv.reader(text, delimiter=str(dialect.separator), strict=True)
        try:
            width = len(next(records, []))
            return all(len(record) in (0, width) for record in records)
        except csv.Error:
            return False


def _survey(path: Path, dialect: Dialect) -> tuple[pd.DataFrame, list[Fault]]:
    """Read cell by cell, as texts; return what can be read, and what is wrong in counts."""
    with open_binary(path) as stream:
        text = io.TextIOWrapper(stream, dialect.encoding, errors="replace", newline="")
        records = csv.reader(text, delimiter=str(dialect.separator), strict=True)
        rows: list[list[str]] = []
        broken = False
        try:
            rows.extend(record for record in records if record)
        except csv.Error:
            broken = True
    head, rows = (rows[0], rows[1:]) if rows else ([], [])
    width = len(head)
    faults = []
    too_long = sum(len(row) > width for row in rows)
    too_short = sum(len(row) < width for row in rows)
    if too_long:
        faults.append(
            Fault(
                f"{too_long} lines have more cells than the header",
                too_long,
                "A separator inside a cell needs quotes around the cell; or name the separator "
                "with --separator.",
            )
        )
    if too_short:
        what = f"{too_short} lines have fewer cells than the header"
        faults.append(Fault(what, too_short, "The file may have been cut off. Complete them."))
    if broken:
        faults.append(Fault("a quote is opened and never closed", 0, "Close or double it."))
    cells = [[*row[:width], *[""] * (width - len(row))] for row in rows]
    table = pd.DataFrame(cells, columns=pd.Index(_unique(head)), dtype="string")
    return table.mask(table == ""), faults


def _unique(names: list[str]) -> list[str]:
    """Name repeated columns as pandas does."""
    seen: dict[str, int] = {}
    named = []
    for name in names:
        again = seen.get(name, 0)
        named.append(f"{name}.{again}" if again else name)
        seen[name] = again + 1
    return named
