"""Arrays made and gone through block by block, in memory or in a file that is mapped.

A page of a mapped file counts as memory of the process from when it is looked at until it is let
go. What is gone through here never has more than a block of it. Files have no name: the system
takes them back with the last array that lies in them, however a process ends.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

__all__ = ["Keep", "in_blocks", "in_file", "in_memory", "let_go", "map_file"]

Array = npt.NDArray[Any]

Keep = Callable[[int, Iterable[Array]], Array]
"""Takes so many rows block by block, puts them somewhere, and returns them as one array."""

BLOCK_BYTES = 2**23


def in_memory(n_rows: int, blocks: Iterable[Array]) -> Array:
    """Put blocks of rows into memory, on pages of their own that go back when it is released.

    Examples
    --------
    >>> in_memory(3, iter([np.zeros((2, 1)), np.ones((1, 1))])).ravel()
    array([0., 0., 1.])
    """
    rows, start = np.empty(0), 0
    for block in blocks:
        if not start:
            shape, size = (n_rows, *block.shape[1:]), n_rows * block[:1].nbytes
            pages = mmap.mmap(-1, max(size, 1))
            rows = np.frombuffer(pages, block.dtype, size // block.itemsize).reshape(shape)
        rows[start : start + len(block)] = block
        start += len(block)
    assert start == n_rows > 0, "the blocks have so many rows"
    return rows


def in_file(folder: Path) -> Keep:
    """Return what puts blocks of rows into a file without a name in a folder, and maps it."""

    def keep(n_rows: int, blocks: Iterable[Array]) -> Array:
        with tempfile.TemporaryFile(dir=folder) as file:
            for block in blocks:
                file.write(np.ascontiguousarray(block).data)
            return np.frombuffer(map_file(file), block.dtype).reshape(n_rows, *block.shape[1:])

    return keep


def map_file(file: IO[bytes]) -> memoryview:
    """Map all of a file, to be read; the map holds the file, also one without a name."""
    if file.writable():
        file.flush()
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def in_blocks(array: Array, n_rows: int | None = None) -> Iterator[Array]:
    """Go through an array by its rows; of one in a mapped file, let go of what was seen.

    Parameters
    ----------
    array : ndarray of shape (n, ...)
    n_rows : int, optional
        Rows of a block; as many as have 8 MiB if nothing is said.

    Examples
    --------
    >>> [len(block) for block in in_blocks(np.zeros((5, 2)), 2)]
    [2, 2, 1]
    """
    if n_rows is None:
        n_rows = max(1, BLOCK_BYTES * len(array) // max(array.nbytes, 1))
    for start in range(0, len(array), n_rows):
        block = array[start : start + n_rows]
        yield block
        let_go(block)


def let_go(array: Array) -> None:
    """Let go of the pages of an array that lies in a mapped file; they can be read again.

    Also of one that is written to, if what is written goes to the file.
    """
    pages = _map_of(array)
    if pages is None or not array.size or not hasattr(mmap, "MADV_DONTNEED"):
        return
    origin = np.frombuffer(pages, dtype=np.uint8).ctypes.data
    # Whole pages only; one that a neighbour lies in too is read once more.
    start = (array.ctypes.data - origin) // mmap.PAGESIZE * mmap.PAGESIZE
    pages.madvise(mmap.MADV_DONTNEED, start, array.ctypes.data - origin + array.nbytes - start)


def _map_of(array: Array) -> mmap.mmap | None:
    """Return the mapped file that a part of an array lies in, as it is kept there."""
    if not array.flags.c_contiguous:
        return None
    owner: object = array
    kept = not array.flags.writeable
    while isinstance(owner, np.ndarray):
        kept |= isinstance(owner, np.memmap) and owner.mode in ("r+", "w+")
        owner = owner.base
    if not kept:
        return None
    if isinstance(owner, memoryview):
        owner = owner.obj
    return owner if isinstance(owner, mmap.mmap) else None
