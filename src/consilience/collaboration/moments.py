"""Means and spreads of rows, block by block: the same numbers wherever the rows lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.collaboration.paging import BLOCK_ROWS
from consilience.mapped import in_blocks

__all__ = ["Scaled", "column_means", "column_spreads", "every", "row_blocks", "scatter"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scaled:
    """Rows in other units, ``(X - shift) / scale``, of which no copy is made."""

    X: Array
    shift: Array
    scale: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, m = self.X.shape
        return n, m


def row_blocks(X: Array | Scaled) -> Iterator[Array]:
    """Yield rows, block by block."""
    if isinstance(X, Scaled):
        yield from ((block - X.shift) / X.scale for block in in_blocks(X.X, BLOCK_ROWS))
    else:
        yield from in_blocks(X, BLOCK_ROWS)


def every(X: Array, k: int) -> Array:
    """Return a copy of every k-th row; of rows in a file, no more than a block is looked at.

    Examples
    --------
    >>> every(np.arange(5.0)[:, None], 2).ravel()
    array([0., 2., 4.])
    """
    taken, start = [], 0
    for block in row_blocks(X):
        taken.append(np.array(block[-start % k :: k]))
        start += len(block)
    return np.concatenate(taken)


def column_means(X: Array | Scaled) -> Array:
    """Return the mean of each column.

    Examples
    --------
    >>> column_means(np.array([[0.0, 1.0], [2.0, 1.0]]))
    array([1., 1.])
    """
    return np.asarray(sum(block.sum(axis=0) for block in row_blocks(X)) / X.shape[0])


def column_spreads(blocks: Iterable[Array]) -> Array:
    """Return the standard deviation of each column, in one pass [Chan1983]_.

    Examples
    --------
    >>> column_spreads([np.array([[0.0], [2.0]]), np.array([[4.0], [6.0]])]) ** 2
    array([5.])
    """
    n, mean, squares = 0, np.zeros(1), np.zeros(1)
    for block in blocks:
        own = block.mean(axis=0)
        apart, more = own - mean, len(block)
        squares = squares + ((block - own) ** 2).sum(axis=0) + apart**2 * (n * more / (n + more))
        n += more
        mean = mean + apart * (more / n)
    return np.asarray(np.sqrt(squares / n))


def scatter(X: Array | Scaled, mean: Array) -> Array:
    """Sum outer products of centred rows: no centred copy of X."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for block in row_blocks(X):
        centred = block - mean
        total += centred.T @ centred
    return total
