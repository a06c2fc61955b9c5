"""Tables in Parquet files, read piece by piece."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from consilience.exceptions import MissingExtraError, TableError
from consilience.sources.delimited import Found
from consilience.sources.source import Kinds
from consilience.sources.spill import spill

__all__ = ["parquet_batches", "read_parquet"]

ROWS_AT_ONCE = 50_000
BUFFER_BYTES = 2**18
"""Read of a column at a time; else all row groups that were read are held."""


def read_parquet(
    path: Path, kinds: Kinds, ignore: Collection[str] = (), *, in_memory: bool = False
) -> Found:
    """Read a Parquet file without the columns to be ignored, which are not even decoded."""
    batches = parquet_batches(path, ignore)
    return Found(spill(batches, kinds, f"{path.name} has no rows.", in_memory=in_memory), "Parquet")


def parquet_batches(
    path: Path, ignore: Collection[str] = (), columns: Collection[str] | None = None
) -> Iterator[Any]:
    """Return a Parquet file, or some columns, as record batches; without rows, an empty one.

    A row number that pandas wrote beside the columns is no column.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("reading Parquet files", "pyarrow", "io")
    return _batches(path, ignore, columns)


def _batches(path: Path, ignore: Collection[str], columns: Collection[str] | None) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, buffer_size=BUFFER_BYTES, pre_buffer=False) as file:
        schema = file.schema_arrow
        unknown = [name for name in ignore if name not in schema.names]
        if unknown:
            raise TableError(f"{path.name} has no columns {unknown} to ignore.")
        wanted = [
            name
            for name in schema.names
            if name not in ignore
            and (columns is None or name in columns)
            and not re.fullmatch(r"__index_level_\d+__", name)
        ]
        if len(set(wanted)) < len(wanted):
            raise TableError(f"{path.name} has two columns of one name. Rename one.")
        if file.metadata.num_rows:
            yield from file.iter_batches(ROWS_AT_ONCE, columns=wanted)
        else:
            # What they are called can still be compared.
            kept = pa.schema([schema.field(name) for name in wanted])
            yield pa.RecordBatch.from_pylist([], kept)
