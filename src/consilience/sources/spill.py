"""Tables that arrive in pieces, kept on disk while they are used: memory follows the matrix."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from consilience.exceptions import TableError
from consilience.sources.source import Kinds

__all__ = ["spill"]


def spill(batches: Iterator[Any], kinds: Kinds, nothing: str = "") -> pd.DataFrame:
    """Write record batches to a file that vanishes with the table made of it.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        All of the same columns.
    kinds : Kinds
        Columns that hold numbers become floats.
    nothing : str, default=""
        What to say if not even an empty batch comes.
    """
    import pyarrow as pa

    descriptor, name = tempfile.mkstemp(prefix="consilience-", suffix=".arrow")
    path = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            schema, writer = None, None
            for batch in batches:
                batch = _plain(batch, kinds)
                if writer is None:
                    schema = batch.schema
                    writer = pa.ipc.new_file(stream, schema)
                writer.write_batch(batch if batch.schema == schema else _cast(batch, schema))
            if writer is None:
                raise TableError(nothing)
            writer.close()
        # Where a file that is mapped cannot be deleted, it is read whole.
        with pa.OSFile(name) if os.name == "nt" else pa.memory_map(name) as mapped:
            table = pa.ipc.open_file(mapped).read_all()
    finally:
        path.unlink()  # a memory map keeps what it shows
    frame: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def _plain(batch: Any, kinds: Kinds) -> Any:
    """Bring columns to types that all readers share.

    Decimals become floats, however they arrive, and so do integers where numbers are meant; codes
    of a dictionary become what they stand for, and what is not a number is missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for field, column in zip(batch.schema, batch.columns, strict=True):
        opaque = isinstance(field.type, pa.BaseExtensionType)
        if opaque:
            column = column.storage
        exact = pa.types.is_decimal(field.type) or (
            opaque and getattr(field.type, "type_name", "") == "numeric"
        )
        empty = pa.types.is_null(field.type)
        if exact or (field.name in kinds.numbers and (empty or pa.types.is_integer(field.type))):
            column = column.cast(pa.float64())
        elif empty:
            column = column.cast(pa.string())
        elif pa.types.is_dictionary(field.type):
            column = column.dictionary_decode()
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), None, column)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _cast(batch: Any, schema: Any) -> Any:
    """Bring a batch to the types of the first one, which may not have shown what a column holds."""
    import pyarrow as pa

    columns = []
    for field, column in zip(schema, batch.columns, strict=True):
        try:
            columns.append(column.cast(field.type))
        except pa.ArrowInvalid:
            raise TableError(
                f"column {field.name!r} changes its type within the table. In a query, cast "
                f"it, as in CAST({field.name} AS DOUBLE PRECISION)."
            ) from None
    return pa.RecordBatch.from_arrays(columns, schema=schema)
