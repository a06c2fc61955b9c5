"""Rows meet by pseudonym: the columns of one row institution side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.messages import Contribution, Query

__all__ = ["Join", "join_columns"]


@dataclass(frozen=True, eq=False)
class Join:
    """Where the rows that all columns share stand in each column's message.

    Parameters
    ----------
    positions : list of (ndarray of shape (n_shared,) or None)
        One per column; None means all of its rows, in order.
    sizes : list of int
        Rows each column sent.
    """

    positions: list[npt.NDArray[np.intp] | None]
    sizes: list[int]

    @property
    def n_shared(self) -> int:
        """Rows that every column sent."""
        first = self.positions[0]
        return self.sizes[0] if first is None else len(first)

    @property
    def n_unmatched(self) -> list[int]:
        """Rows of each column that some other column did not send."""
        return [size - self.n_shared for size in self.sizes]

    def stack(
        self, blocks: Sequence[npt.NDArray[np.float64]], part: slice = slice(None)
    ) -> npt.NDArray[np.float64]:
        """Put shared rows of each column side by side (Eq. 7 of [Kawamata2025]_), or a part."""
        parts = [
            b[part] if p is None else b[p[part]]
            for b, p in zip(blocks, self.positions, strict=True)
        ]
        return np.hstack(parts) if len(parts) > 1 else parts[0]

    def spread(self, values: npt.NDArray[Any], column: int) -> npt.NDArray[Any]:
        """Give each row a column sent its value; -1 (0 in a matrix) to rows not shared."""
        position = self.positions[column]
        if position is None:
            return values
        missing = -1 if values.ndim == 1 else 0
        shape = (self.sizes[column], *values.shape[1:])
        full = np.full(shape, missing, dtype=values.dtype)
        full[position] = values
        return full


def join_columns(messages: Sequence[Contribution | Query]) -> Join:
    """Find the rows that all columns of one row institution sent.

    Parameters
    ----------
    messages : sequence of Contribution or Query
        One per column. Either all carry pseudonyms, or none does and all hold the same rows in
        the same order.

    Returns
    -------
    Join
        Shared rows in the order of their pseudonyms, which is nobody's order.
    """
    sizes = [len(m.representation) for m in messages]
    coded = [m for m in messages if m.pseudonyms is not None]
    if not coded:
        if len(set(sizes)) > 1:
            found = ", ".join(f"{m.sender} {n}" for m, n in zip(messages, sizes, strict=True))
            raise MessageError(
                f"the parties of one row institution sent different numbers of rows ({found}) and "
                f"no pseudonyms to join them by."
            )
        return Join([None] * len(sizes), sizes)
    if len(coded) < len(messages):
        without = [m.sender for m in messages if m.pseudonyms is None]
        raise MessageError(f"{without} sent no pseudonyms, but the others of their row did.")
    keys = [_as_keys(m) for m in messages]
    shared = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), keys)
    positions: list[npt.NDArray[np.intp] | None] = []
    for key in keys:
        order = np.argsort(key)
        positions.append(order[np.searchsorted(key, shared, sorter=order)])
    return Join(positions, sizes)


def _as_keys(message: Contribution | Query) -> npt.NDArray[np.void]:
    """View pseudonyms as one sortable value a row, and refuse doubles."""
    assert message.pseudonyms is not None
    rows = np.ascontiguousarray(message.pseudonyms)
    keys = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
    n_doubles = len(keys) - len(np.unique(keys))
    if n_doubles:
        raise MessageError(
            f"{message.sender} sent {n_doubles} pseudonyms twice; ids must be unique within a "
            f"party."
        )
    return keys
