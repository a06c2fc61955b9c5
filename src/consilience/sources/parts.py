"""Tables read part by part, as often as they are needed: memory does not follow their length."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import pandas as pd

from consilience.exceptions import ConsilienceError, TableError
from consilience.sources.database import spill_database
from consilience.sources.delimited import Found, delimited_parts, lines_fit, may_end_early
from consilience.sources.dialect import detect
from consilience.sources.excel import EXCEL
from consilience.sources.parquet import parquet_batches
from consilience.sources.reading import read_source
from consilience.sources.source import Kinds, Source
from consilience.sources.spill import plain, read_batches

__all__ = ["NotInPartsError", "TableParts", "comes_in_parts"]

LARGE_BYTES = 2**25
"""Files from this size on are read in parts."""


class NotInPartsError(Exception):
    """What is to be said of a table takes all of it at once."""


def comes_in_parts(source: Source) -> bool:
    """Tell whether a table is read in parts: one of a database, or of a large file.

    Examples
    --------
    >>> comes_in_parts(Source("sqlite:///ward.db", "id"))
    True
    >>> comes_in_parts(Source("sqlite:///ward.db", "id", in_memory=True))
    False
    """
    path = source.file
    if source.in_memory or (path is not None and path.suffix in EXCEL):
        return False
    return path is None or path.stat().st_size >= LARGE_BYTES


class TableParts:
    """The parts of a table, in its order; to be used within ``with``.

    The query of a database is run once: its rows lie in a file without a name until the end.

    Parameters
    ----------
    source : Source
    kinds : Kinds
    folder : Path
        A private folder, for that file.
    """

    def __init__(self, source: Source, kinds: Kinds, folder: Path) -> None:
        self._source, self._kinds, self._folder = source, kinds, folder
        self._files = ExitStack()
        self._rows: IO[bytes] | None = None

    def __enter__(self) -> TableParts:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._files.close()

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return self.of()

    def of(self, columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the parts, of some columns or of all that are not ignored.

        Raises
        ------
        NotInPartsError
            If a reader fails; who reads all at once can say why.
        """
        try:
            yield from self._parts(columns)
        except (OSError, ConsilienceError, NotInPartsError):
            raise
        except Exception:
            raise NotInPartsError from None

    def read_whole(self) -> Found:
        """Return all of it at once; what a query gave is not asked for again."""
        if self._rows is None:
            return read_source(self._source, self._kinds)
        table = pd.concat(map(_as_frame, read_batches(self._rows)), ignore_index=True)
        return Found(table.drop(columns=list(self._source.ignore)), "database")

    def _parts(self, columns: Sequence[str] | None) -> Iterator[pd.DataFrame]:
        path = self._source.file
        if path is not None and path.suffix == ".parquet":
            batches = parquet_batches(path, self._source.ignore, columns)
            as_read = (plain(batch, self._kinds, nan_is_missing=False) for batch in batches)
            yield from map(_as_frame, as_read)
            return
        whole = map(_as_frame, read_batches(self._spilt())) if path is None else self._lines(path)
        ignore = list(self._source.ignore)
        for part in whole:
            unknown = [name for name in ignore if name not in part]
            if unknown:
                raise TableError(f"{self._source.name} has no columns {unknown} to ignore.")
            yield part.drop(columns=ignore) if columns is None else part[list(columns)]

    def _spilt(self) -> IO[bytes]:
        """Return the file with the rows of the query, which is run if it has not been."""
        if self._rows is None:
            rows = self._files.enter_context(tempfile.TemporaryFile(dir=self._folder))  # noqa: SIM115
            spill_database(self._source, self._kinds, rows)
            self._rows = rows
        return self._rows

    def _lines(self, path: Path) -> Iterator[pd.DataFrame]:
        dialect, looked = detect(path, self._source.dialect), False
        for part in delimited_parts(path, self._kinds, dialect):
            if not looked and may_end_early(part):
                if not lines_fit(path, dialect):
                    raise NotInPartsError
                looked = True
            yield part


def _as_frame(batch: Any) -> pd.DataFrame:
    """Return a batch as a table; only floats and texts can be missing and stay what they are."""
    import pyarrow as pa

    def kind(of: Any) -> Any:
        as_is = pa.types.is_floating(of) or pa.types.is_string(of) or pa.types.is_large_string(of)
        return None if as_is else pd.ArrowDtype(of)

    frame: pd.DataFrame = batch.to_pandas(types_mapper=kind)
    return frame
