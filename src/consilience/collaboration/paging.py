"""Arrays whose memory goes back to the system as soon as they are released.

An allocator keeps freed blocks of some megabytes for itself, so a process that has reduced, sent
and mapped twenty parts of a table would go on paying for them while it clusters.
"""

from __future__ import annotations

import mmap

import numpy as np
import numpy.typing as npt

__all__ = ["BLOCK_ROWS", "empty_pages", "take_part"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.integer]

BLOCK_ROWS = 16_384
"""Rows worked on at a time where a second copy of all rows is to be avoided."""


def empty_pages(n_rows: int, n_columns: int) -> Array:
    """Return an array of zeros on pages of its own."""
    count = n_rows * n_columns
    pages = mmap.mmap(-1, max(count * np.dtype(np.float64).itemsize, 1))
    return np.frombuffer(pages, count=count).reshape(n_rows, n_columns)


def take_part(X: Array, rows: Index, columns: Index) -> Array:
    """Take some rows and columns of a table; the table itself where that is all of it.

    Examples
    --------
    >>> take_part(np.arange(6.0).reshape(3, 2), np.array([2, 0]), np.array([1]))
    array([[5.],
           [1.]])
    """
    if len(rows) == len(X) and len(columns) == X.shape[1]:
        return X
    part = empty_pages(len(rows), len(columns))
    for start in range(0, len(rows), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        # Whole rows first: they lie together, and cells do not.
        part[block] = X.take(rows[block], axis=0).take(columns, axis=1)
    return part
