"""How much does a node give away: nodes that are rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["count_copies"]

FloatArray = npt.NDArray[np.float64]


def count_copies(nodes: FloatArray, rows: FloatArray) -> int:
    """Return how many nodes equal one of the rows, bit for bit.

    A network without noise makes its nodes of rows and moves only those that win again, so most
    of what a party sends can be a row of its table. A party should see the number before it sends.

    Parameters
    ----------
    nodes : ndarray of shape (n_nodes, d)
    rows : ndarray of shape (n_rows, d)

    Returns
    -------
    int

    Examples
    --------
    >>> count_copies(np.array([[0.0], [0.5]]), np.array([[0.5], [0.7]]))
    1
    """
    known = set(_in_bytes(rows))
    return sum(map(known.__contains__, _in_bytes(nodes)))


def _in_bytes(A: FloatArray) -> list[bytes]:
    """Return the bits of each row."""
    row = np.dtype((np.void, 8 * A.shape[1]))
    found: list[bytes] = np.ascontiguousarray(A, dtype=np.float64).view(row)[:, 0].tolist()
    return found
