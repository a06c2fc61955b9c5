"""A party's table on disk: CSV or Parquet in, labels out."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from consilience.exceptions import MissingExtraError, TableError
from consilience.study.schema import Numeric, Schema

__all__ = ["Source", "read_csv", "read_example", "read_table", "write_table"]

NOT_A_NUMBER = ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None"]
"""How a missing number is written."""


@dataclass(frozen=True)
class Source:
    """Where a party's table is.

    Parameters
    ----------
    path : Path
        ``*.parquet``, or anything else as CSV (a ``.gz`` is unpacked).
    id_column : str
        The column of the row ids.
    """

    path: Path
    id_column: str


def read_table(source: Source, schema: Schema) -> tuple[pd.Series, pd.DataFrame]:
    """Read a table and part its ids from its columns.

    Parameters
    ----------
    source : Source
    schema : Schema
        The kinds of the columns, so that a code such as ``007`` stays a text.

    Returns
    -------
    ids : Series of str
    table : DataFrame
        Without the id column.
    """
    path, id_column = source.path, source.id_column
    try:
        if path.suffix == ".parquet":
            if find_spec("pyarrow") is None:
                raise MissingExtraError("reading Parquet files", "pyarrow", "io")
            table = pd.read_parquet(path)
        else:
            table = read_csv(path, schema, [id_column])
    except (FileNotFoundError, PermissionError, MissingExtraError):
        raise
    except Exception as error:
        # Readers fail in many ways, and their own words may quote a cell.
        raise TableError(
            f"{path.name} cannot be read as a table ({type(error).__name__}). Save it as CSV with "
            f"a header line, or as Parquet."
        ) from None
    if id_column not in table.columns:
        raise TableError(
            f"{path.name} has no column {id_column!r}; name the column of the row ids with --id."
        )
    return table.pop(id_column).astype("string"), table


def read_csv(path: Path, schema: Schema, more_texts: Collection[str] = ()) -> pd.DataFrame:
    """Read a CSV file by the kinds of its columns, with errors of pandas as they are."""
    numeric = [n for n, c in schema.columns.items() if isinstance(c, Numeric)]
    texts = [*more_texts, *(n for n in schema.columns if n not in numeric)]
    with warnings.catch_warnings():
        # Rows longer than the header; without index_col their first cell would become an index.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        return pd.read_csv(
            path,
            dtype=dict.fromkeys(texts, "string"),
            # "None" and "NA" may be categories or ids: only an empty text is a missing one.
            keep_default_na=False,
            na_values={**dict.fromkeys(numeric, NOT_A_NUMBER), **dict.fromkeys(texts, "")},
            index_col=False,
            compression="gzip" if path.suffix == ".gz" else None,
        )


def read_example(path: Path, texts: Collection[str] = ()) -> pd.DataFrame:
    """Read a CSV file whose columns nobody has described yet.

    A column is numeric if everything in it is a number or a usual sign for a missing one, unless
    it is among `texts`.
    """
    try:
        table = pd.read_csv(path, dtype="string", keep_default_na=False, index_col=False)
    except OSError:
        raise
    except Exception:
        raise TableError(f"{path.name} cannot be read as CSV with a header line.") from None
    for name in table.columns:
        present = table[name].mask(table[name].str.strip().isin(NOT_A_NUMBER))
        numbers = pd.to_numeric(present, errors="coerce")
        is_number = numbers.notna().any() and (numbers.notna() == present.notna()).all()
        if is_number and name not in texts:
            table[name] = numbers.astype("float64")
        else:
            table[name] = table[name].mask(table[name].str.strip() == "")
    return table


def write_table(table: pd.DataFrame, path: Path) -> bytes:
    """Return a table as the bytes of a CSV or Parquet file, by the name of the file."""
    if path.suffix == ".parquet":
        if find_spec("pyarrow") is None:
            raise MissingExtraError("writing Parquet files", "pyarrow", "io")
        return bytes(table.to_parquet(index=False))
    return table.to_csv(index=False, lineterminator="\n").encode()
