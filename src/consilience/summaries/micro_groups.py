"""Groups of at least k rows that lie close together: micro-aggregation by MDAV."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["micro_groups"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]

BLOCK = 4_096
"""Rows among which neighbours are looked for; larger tables are first cut at medians."""


def micro_groups(Z: Array, size: int) -> Index:
    """Put every row into a group of at least `size` rows, and of fewer than twice as many.

    Maximum distance to average vector (MDAV, Alg. 2 of [Domingo2005]_): the row farthest from the
    mean takes its nearest neighbours, then the row farthest from that one does, until all are
    taken. A table of more than 4,096 rows is first cut in halves, each time at the median of its
    widest column, so that the time grows as n log n and not as n squared.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_features)
    size : int

    Returns
    -------
    ndarray of shape (n_rows,)
        The group of each row, from 0; one group if there are fewer than `size` rows.

    Examples
    --------
    >>> Z = np.array([[0.0], [9.0], [0.1], [9.1], [0.2], [9.2], [9.3]])
    >>> micro_groups(Z, 3).tolist()
    [0, 1, 0, 1, 0, 1, 1]
    """
    groups = np.empty(len(Z), dtype=np.intp)
    found = 0
    for block in _blocks(Z, np.arange(len(Z)), max(BLOCK, 4 * size)):
        for rows in _mdav(Z[block], size):
            groups[block[rows]] = found
            found += 1
    return groups


def _blocks(Z: Array, rows: Index, largest: int) -> list[Index]:
    """Cut rows at medians until no part is larger."""
    if len(rows) <= largest:
        return [rows]
    here = Z[rows]
    order = here[:, here.var(axis=0).argmax()].argsort(kind="stable")
    half = len(rows) // 2
    parts = rows[order[:half]], rows[order[half:]]
    return [block for part in parts for block in _blocks(Z, part, largest)]


def _mdav(Z: Array, size: int) -> list[Index]:
    left, found = np.arange(len(Z)), []

    def distances(center: Array) -> Array:
        apart = Z[left] - center
        return np.asarray(np.einsum("ij,ij->i", apart, apart))

    def take(row: Array) -> None:
        nonlocal left
        order = distances(row).argsort(kind="stable")
        found.append(left[order[:size]])
        left = np.sort(left[order[size:]])

    while len(left) >= 3 * size:
        far = Z[left[distances(Z[left].mean(axis=0)).argmax()]]
        take(far)
        take(Z[left[distances(far).argmax()]])
    if len(left) >= 2 * size:
        take(Z[left[distances(Z[left].mean(axis=0)).argmax()]])
    return [*found, left]
