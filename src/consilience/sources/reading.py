"""Read a table from wherever it is."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from consilience.exceptions import ConsilienceError, MissingExtraError, TableError
from consilience.sources.database import read_database
from consilience.sources.delimited import Found, read_delimited
from consilience.sources.excel import EXCEL, read_excel
from consilience.sources.parquet import read_parquet
from consilience.sources.source import Kinds, Source

__all__ = ["read_source", "write_table"]


def read_source(source: Source, kinds: Kinds) -> Found:
    """Read a table, without the columns that are to be ignored.

    Parameters
    ----------
    source : Source
    kinds : Kinds

    Raises
    ------
    TableError
        If it cannot be read.
    """
    try:
        return _read(source, kinds)
    except (FileNotFoundError, PermissionError, ConsilienceError):
        raise
    except Exception as error:
        # Readers fail in many ways, and their own words may quote a cell.
        raise TableError(
            f"{source.name} cannot be read as a table ({type(error).__name__}). Save it as CSV "
            f"with a header line, or as Parquet."
        ) from None


def _read(source: Source, kinds: Kinds) -> Found:
    path = source.file
    if path is None:
        return _without_ignored(read_database(source, kinds), source)
    if path.suffix == ".parquet":
        return read_parquet(path, kinds, source.ignore)
    if path.suffix in EXCEL:
        return _without_ignored(read_excel(path, source.sheet, kinds), source)
    return _without_ignored(read_delimited(path, kinds, source.dialect), source)


def _without_ignored(found: Found, source: Source) -> Found:
    unknown = [name for name in source.ignore if name not in found.table]
    if unknown:
        raise TableError(f"{source.name} has no columns {unknown} to ignore.")
    return replace(found, table=found.table.drop(columns=list(source.ignore)))


def write_table(table: pd.DataFrame, path: Path) -> bytes:
    """Return a table as the bytes of a CSV or Parquet file, by the name of the file."""
    if path.suffix == ".parquet":
        if find_spec("pyarrow") is None:
            raise MissingExtraError("writing Parquet files", "pyarrow", "io")
        return bytes(table.to_parquet(index=False))
    return table.to_csv(index=False, lineterminator="\n").encode()
