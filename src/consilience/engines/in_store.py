"""Rows as blocks of any store that fsspec reaches, such as a bucket of S3 (extra store).

Workers need no folder in common then: each reads its blocks from the store, with the keys and
settings that its own machine has for it. One object is a block. What is small, or the analyst's
alone (what arrived, joins, labels), stays in the private folder, and so does the record of what is
finished. Blocks are not encrypted but by the store itself; who starts a run deletes them when it
has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.engines.engine import Rows, block_slices
from consilience.engines.on_disk import OnDisk, RowsOnDisk
from consilience.exceptions import MissingExtraError, StudyError

__all__ = ["InStore", "RowsInStore", "StoredBlock", "empty_store", "is_address"]

Array = npt.NDArray[np.float64]

BUCKETS = ("s3", "s3a", "gs", "gcs", "az", "abfs")
"""Where folders need no making; a bucket that is not there is not made either."""


def is_address(place: str) -> bool:
    """Tell whether a place is a store, and no folder.

    Examples
    --------
    >>> is_address("s3://bucket/spill"), is_address("/srv/spill")
    (True, False)
    """
    return "://" in place


class InStore(OnDisk):
    """Keeps rows in a store, and all else in files.

    Parameters
    ----------
    folder : Path
        As of :class:`~consilience.engines.on_disk.OnDisk`, of this machine alone.
    address : str
        Such as ``"s3://bucket/prefix"``, or any other of fsspec.
    inputs, **more
        As of :class:`~consilience.engines.on_disk.OnDisk`.

    Examples
    --------
    >>> import tempfile
    >>> engine = InStore(Path(tempfile.mkdtemp()), "memory://spill")
    >>> rows = engine.rows("rows", (3, 2), lambda: [np.ones((1, 2)), np.zeros((2, 2))])
    >>> list(rows.each(np.sum)), rows.take(np.array([0])).tolist()
    ([np.float64(2.0)], [[1.0, 1.0]])
    """

    def __init__(self, folder: Path, address: str, inputs: str = "", **more: Any) -> None:
        super().__init__(folder, inputs, **more)
        self.address = address

    def rows(self, name: str, shape: tuple[int, int], parts: Callable[[], Iterable[Array]]) -> Rows:
        """Write rows to the store, block by block."""
        address = f"{self.address}/{self._stem(name).name}"

        def written() -> Iterator[Arrays]:
            for number, block in enumerate(_in_blocks(parts(), shape)):
                _write(f"{address}/{number}", block)
            yield {"rows": np.array(shape[:1])}

        self.keep(f"{name} at {self.address}", written)
        return RowsInStore(address, shape, self)


@dataclass(frozen=True)
class StoredBlock:
    """Some rows, as an object of a store."""

    address: str
    n_dimensions: int

    def read(self) -> Array:
        """Return its rows."""
        files, path = _find(self.address)
        try:
            data = files.cat_file(path)
        except Exception as error:  # each library behind fsspec has errors of its own
            raise _failed(self.address, error) from None
        return np.frombuffer(bytes(data)).reshape(-1, self.n_dimensions)


@dataclass(frozen=True, eq=False)
class RowsInStore(RowsOnDisk):
    """Rows that are objects of a store; ``path`` is their common address."""

    def block(self, number: int, inside: slice) -> StoredBlock:
        """Return what reads a block, here or at a worker."""
        return StoredBlock(f"{self.path}/{number}", self.shape[1])

    def take(self, places: npt.NDArray[np.intp]) -> Array:
        """Return a copy of some rows; workers pick them out of their blocks."""
        slices = list(block_slices(self.shape))
        ends = np.searchsorted(places, [inside.stop for inside in slices])
        wanted = (
            (self.block(number, inside), places[start:end] - inside.start)
            for number, (inside, start, end) in enumerate(
                zip(slices, [0, *ends[:-1]], ends, strict=True)
            )
            if end > start
        )
        return np.concatenate([np.empty((0, self.shape[1])), *self.engine.run(_pick, wanted, ())])

    def read_all(self) -> Array:
        """Read all rows, however many."""
        slices = enumerate(block_slices(self.shape))
        return np.concatenate([self.block(number, inside).read() for number, inside in slices])


def _pick(block: Array, places: npt.NDArray[np.intp]) -> Array:
    return block[places]


def _in_blocks(parts: Iterable[Array], shape: tuple[int, int]) -> Iterator[Array]:
    """Put parts of any length together into the blocks of rows of a shape."""
    rest, source = np.empty((0, shape[1])), iter(parts)
    for inside in block_slices(shape):
        held = [rest]
        while sum(map(len, held)) < inside.stop - inside.start:
            held.append(next(source))
        together = np.concatenate(held)
        yield together[: inside.stop - inside.start]
        rest = together[inside.stop - inside.start :]


def empty_store(address: str) -> None:
    """Delete all that lies at an address of a store; nothing need be there."""
    files, path = _find(address)
    try:
        files.invalidate_cache()  # of what lay there before anything was written
        if files.exists(path):
            files.rm(path, recursive=True)
    except Exception as error:  # each library behind fsspec has errors of its own
        raise _failed(address, error) from None


def _write(address: str, block: Array) -> None:
    files, path = _find(address)
    try:
        if urlsplit(address).scheme not in BUCKETS:
            files.makedirs(path.rpartition("/")[0], exist_ok=True)
        files.pipe_file(path, np.ascontiguousarray(block).tobytes())
    except Exception as error:  # each library behind fsspec has errors of its own
        raise _failed(address, error) from None


def _find(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError("rows in a store", "fsspec", "store") from None
    try:
        files, path = url_to_fs(address)
    except ImportError as error:
        raise MissingExtraError("rows in this store", str(error.name), "store") from None
    except Exception as error:  # each library behind fsspec has errors of its own
        raise _failed(address, error) from None
    return files, str(path)


def _failed(address: str, error: Exception) -> StudyError:
    """Say that a store cannot be used, without what may be a password in its address."""
    parts = urlsplit(address)
    return StudyError(
        f"rows cannot lie at {parts.scheme}://{parts.hostname or ''}{parts.path}: "
        f"{type(error).__name__}. See that the store is there and may be written to, with its own "
        f"tools, from this machine and from every worker."
    )
