"""Tables that arrive in pieces, kept on disk while they are used: memory follows the matrix."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, Any

import pandas as pd

from consilience.exceptions import TableError
from consilience.mapped import map_file
from consilience.sources.source import Kinds

__all__ = ["plain", "read_batches", "spill", "write_batches"]


def spill(
    batches: Iterator[Any], kinds: Kinds, nothing: str = "", *, in_memory: bool = False
) -> pd.DataFrame:
    """Write record batches to a file that vanishes with the table made of it.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        All of the same columns.
    kinds : Kinds
        Columns that hold numbers become floats.
    nothing : str, default=""
        What to say if not even an empty batch comes.
    in_memory : bool, default=False
        Write no file.
    """
    import pyarrow as pa

    if in_memory:
        table = pa.Table.from_batches(list(_alike(batches, kinds, nothing)))
    else:
        with tempfile.TemporaryFile(prefix="consilience-") as file:
            write_batches(file, batches, kinds, nothing)
            table = pa.ipc.open_file(pa.py_buffer(map_file(file))).read_all()
    frame: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def write_batches(file: IO[bytes], batches: Iterator[Any], kinds: Kinds, nothing: str) -> None:
    """Write record batches to a file, brought to the types that all readers share."""
    import pyarrow as pa

    writer = None
    for batch in _alike(batches, kinds, nothing):
        writer = pa.ipc.new_file(file, batch.schema) if writer is None else writer
        writer.write_batch(batch)
    assert writer is not None, "no batch at all is refused"
    writer.close()


def read_batches(file: IO[bytes]) -> Iterator[Any]:
    """Read record batches from a file they were written to, one at a time."""
    import pyarrow as pa

    file.seek(0)
    reader = pa.ipc.open_file(file)
    yield from (reader.get_batch(k) for k in range(reader.num_record_batches))


def _alike(batches: Iterator[Any], kinds: Kinds, nothing: str) -> Iterator[Any]:
    """Bring batches to plain types, all to those of the first; no batch at all is refused."""
    schema = None
    for batch in batches:
        batch = plain(batch, kinds)
        schema = batch.schema if schema is None else schema
        yield batch if batch.schema == schema else _cast(batch, schema)
    if schema is None:
        raise TableError(nothing)


def plain(batch: Any, kinds: Kinds, *, nan_is_missing: bool = True) -> Any:
    """Bring columns to types that all readers share.

    Decimals become floats, however they arrive, and so do integers where numbers are meant; codes
    of a dictionary become what they stand for, and what is not a number is missing, unless whoever
    reads on takes it for that anyway.
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
        if nan_is_missing and pa.types.is_floating(column.type):
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
