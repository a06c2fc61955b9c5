"""Arrays that lie in a file: mapped into memory, gone through block by block, and let go.

A page of a mapped file counts as memory of the process from when it is looked at until it is let
go. What is gone through here never has more than a block of it.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

__all__ = ["in_blocks", "let_go", "map_file"]

Array = npt.NDArray[Any]

BLOCK_BYTES = 2**23


def map_file(file: IO[bytes]) -> memoryview:
    """Map all of a file, to be read; the map holds the file, also one without a name."""
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
    """Let go of the pages of an array that lies in a mapped file; they can be read again."""
    pages = _map_of(array)
    if pages is None or not array.size or not hasattr(mmap, "MADV_DONTNEED"):
        return
    origin = np.frombuffer(pages, dtype=np.uint8).ctypes.data
    # Whole pages only; one that a neighbour lies in too is read once more.
    start = (array.ctypes.data - origin) // mmap.PAGESIZE * mmap.PAGESIZE
    pages.madvise(mmap.MADV_DONTNEED, start, array.ctypes.data - origin + array.nbytes - start)


def _map_of(array: Array) -> mmap.mmap | None:
    """Return the mapped file that a part of an array lies in, as it is kept there."""
    if not array.flags.c_contiguous or array.flags.writeable:
        return None
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    return owner if isinstance(owner, mmap.mmap) else None
