"""Tables in Excel files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from consilience.exceptions import MissingExtraError, TableError
from consilience.sources.delimited import NOT_A_NUMBER, Found
from consilience.sources.faults import Fault
from consilience.sources.source import Kinds

__all__ = ["EXCEL", "read_excel"]

EXCEL = (".xlsx", ".xlsm")


def read_excel(path: Path, sheet: str | None, kinds: Kinds) -> Found:
    """Read a sheet of an Excel file; its first line names the columns.

    Excel keeps numbers as numbers: an id of digits that lost its zeros there has lost them for
    good, and a formula is read as the value it had when the file was saved.
    """
    if find_spec("openpyxl") is None:
        raise MissingExtraError("reading Excel files", "openpyxl", "io")
    with pd.ExcelFile(path, engine="openpyxl") as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is not None and sheet not in names:
            raise TableError(f"{path.name} has no sheet {sheet!r}; it has {names}.")
        table = pd.read_excel(
            book, sheet_name=sheet or names[0], dtype=object, keep_default_na=False, na_values=[""]
        )
    empty = table.isna().all(axis=1)
    faults = []
    if empty.any():
        faults.append(
            Fault(f"{int(empty.sum())} empty lines were left out", int(empty.sum()), refused=False)
        )
        table = table[~empty].reset_index(drop=True)
    for name in table.columns:
        if name in kinds.numbers:
            table[name] = table[name].mask(table[name].isin(NOT_A_NUMBER)).infer_objects()
        elif kinds.texts is None or name in kinds.texts:
            table[name] = table[name].map(_text, na_action="ignore")
    others = "" if len(names) == 1 else f" of {len(names)}"
    return Found(table, f"Excel, sheet {sheet or names[0]!r}{others}", faults)


def _text(cell: object) -> str:
    """Write a cell as Excel shows it: whole numbers without a fraction, days as days."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).removesuffix(" 00:00:00")
