"""Read a table from wherever it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import pandas as pd

from consilience.exceptions import ConsilienceError, MissingExtraError, TableError
from consilience.sources.database import read_database
from consilience.sources.delimited import Found, read_delimited
from consilience.sources.excel import EXCEL, read_excel
from consilience.sources.parquet import read_parquet
from consilience.sources.source import Kinds, Source

__all__ = ["Lines", "read_source", "table_pieces", "write_table"]


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
        return read_parquet(path, kinds, source.ignore, in_memory=source.in_memory)
    if path.suffix in EXCEL:
        return _without_ignored(read_excel(path, source.sheet, kinds), source)
    return _without_ignored(read_delimited(path, kinds, source.dialect), source)


def _without_ignored(found: Found, source: Source) -> Found:
    unknown = [name for name in source.ignore if name not in found.table]
    if unknown:
        raise TableError(f"{source.name} has no columns {unknown} to ignore.")
    return replace(found, table=found.table.drop(columns=list(source.ignore)))


class Lines(Protocol):
    """A table that is written line by line, as CSV."""

    def __len__(self) -> int: ...

    def pieces(self) -> Iterator[bytes]:
        """Yield the file, piece by piece."""


def table_pieces(table: pd.DataFrame | Lines, path: Path) -> Iterator[bytes]:
    """Yield a table as the bytes of a file, in one piece or line by line."""
    if isinstance(table, pd.DataFrame):
        yield write_table(table, path)
    else:
        yield from table.pieces()


def write_table(table: pd.DataFrame, path: Path) -> bytes:
    """Return a table as the bytes of a CSV or Parquet file, by the name of the file."""
    if path.suffix == ".parquet":
        if find_spec("pyarrow") is None:
            raise MissingExtraError("writing Parquet files", "pyarrow", "io")
        return bytes(table.to_parquet(index=False))
    return table.to_csv(index=False, lineterminator="\n").encode()
