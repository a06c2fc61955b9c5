"""Tables in Parquet files, read piece by piece."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path

from consilience.exceptions import MissingExtraError, TableError
from consilience.sources.delimited import Found
from consilience.sources.source import Kinds
from consilience.sources.spill import spill

__all__ = ["read_parquet"]

ROWS_AT_ONCE = 50_000


def read_parquet(path: Path, kinds: Kinds, ignore: Collection[str] = ()) -> Found:
    """Read a Parquet file without the columns to be ignored, which are not even decoded.

    A row number that pandas wrote beside the columns is no column.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("reading Parquet files", "pyarrow", "io")
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        schema = file.schema_arrow
        unknown = [name for name in ignore if name not in schema.names]
        if unknown:
            raise TableError(f"{path.name} has no columns {unknown} to ignore.")
        wanted = [
            name
            for name in schema.names
            if name not in ignore and not re.fullmatch(r"__index_level_\d+__", name)
        ]
        if len(set(wanted)) < len(wanted):
            raise TableError(f"{path.name} has two columns of one name. Rename one.")
        if file.metadata.num_rows:
            batches = file.iter_batches(ROWS_AT_ONCE, columns=wanted)
        else:
            # No rows, but columns: what they are called can still be compared.
            kept = pa.schema([schema.field(name) for name in wanted])
            batches = iter([pa.RecordBatch.from_pylist([], kept)])
        return Found(spill(batches, kinds, f"{path.name} has no rows."), "Parquet")
