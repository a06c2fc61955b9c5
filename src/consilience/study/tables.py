"""A party's table on disk: CSV or Parquet in, labels out."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from consilience.exceptions import MissingExtraError, TableError
from consilience.study.schema import Numeric, Schema

__all__ = ["read_table", "write_table"]


def read_table(path: Path, schema: Schema, id_column: str) -> tuple[pd.Series, pd.DataFrame]:
    """Read a table and part its ids from its columns.

    Parameters
    ----------
    path : Path
        ``*.parquet``, or anything else as CSV (a ``.gz`` is unpacked).
    schema : Schema
        The kinds of the columns, so that a code such as ``007`` stays a text.
    id_column : str

    Returns
    -------
    ids : Series of str
    table : DataFrame
        Without the id column.
    """
    texts = {n: "string" for n, c in schema.columns.items() if not isinstance(c, Numeric)}
    try:
        if path.suffix == ".parquet":
            if find_spec("pyarrow") is None:
                raise MissingExtraError("reading Parquet files", "pyarrow", "io")
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(path, dtype={id_column: "string", **texts})
    except (ValueError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise TableError(f"there is no file {path}.") from None
        # The reader's own words may quote a cell.
        raise TableError(
            f"{path.name} cannot be read as a table ({type(error).__name__}). Save it as CSV with "
            f"a header line, or as Parquet."
        ) from None
    if id_column not in table.columns:
        raise TableError(
            f"{path.name} has no column {id_column!r}; name the column of the row ids with --id."
        )
    return table.pop(id_column).astype("string"), table


def write_table(table: pd.DataFrame, path: Path) -> bytes:
    """Return a table as the bytes of a CSV or Parquet file, by the name of the file."""
    if path.suffix == ".parquet":
        if find_spec("pyarrow") is None:
            raise MissingExtraError("writing Parquet files", "pyarrow", "io")
        return bytes(table.to_parquet(index=False))
    return table.to_csv(index=False, lineterminator="\n").encode()
