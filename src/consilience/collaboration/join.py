"""Rows meet by pseudonym: the columns of one row institution side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.messages import Contribution, Query
from consilience.study.pseudonym_index import PseudonymIndex

__all__ = ["Join", "join_columns"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Join:
    """Where the joined rows stand in each column's message.

    Parameters
    ----------
    positions : list of (ndarray of shape (n_rows,) or None)
        One per column; -1 where that column did not send the row. None means all of its rows, in
        order.
    sizes : list of int
        Rows each column sent.
    n_complete : int
        Joined rows that every column sent.
    """

    positions: list[npt.NDArray[np.intp] | None]
    sizes: list[int]
    n_complete: int

    @property
    def n_rows(self) -> int:
        """Joined rows."""
        first = self.positions[0]
        return self.sizes[0] if first is None else len(first)

    @property
    def n_unmatched(self) -> list[int]:
        """Rows of each column that some other column did not send."""
        return [size - self.n_complete for size in self.sizes]

    @property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Which joined rows every column sent."""
        sent = np.ones(self.n_rows, dtype=bool)
        for position in self.positions:
            if position is not None:
                sent &= position >= 0
        return sent

    def stack(self, blocks: Sequence[Array], part: slice = slice(None)) -> Array:
        """Put joined rows of each column side by side (Eq. 7 of [Kawamata2025]_), or a part.

        Coordinates of a column that did not send a row are NaN.
        """
        parts = []
        for block, position in zip(blocks, self.positions, strict=True):
            if position is None:
                parts.append(block[part])
                continue
            taken = block[position[part]]
            if self.n_complete < self.n_rows:
                taken[position[part] < 0] = np.nan
            parts.append(taken)
        return np.hstack(parts) if len(parts) > 1 else parts[0]

    def spread(self, values: npt.NDArray[Any], column: int) -> npt.NDArray[Any]:
        """Give each row a column sent its value; -1 (0 in a matrix) to rows not joined."""
        position = self.positions[column]
        if position is None:
            return values
        missing = -1 if values.ndim == 1 else 0
        full = np.full((self.sizes[column], *values.shape[1:]), missing, dtype=values.dtype)
        sent = position >= 0
        full[position[sent]] = values[sent]
        return full


def join_columns(
    messages: Sequence[Contribution | Query],
    unmatched: Literal["drop", "keep", "refuse"] = "drop",
) -> Join:
    """Find the rows that the columns of one row institution share.

    Parameters
    ----------
    messages : sequence of Contribution or Query
        One per column. Either all carry pseudonyms, or none does and all hold the same rows in
        the same order.
    unmatched : {"drop", "keep", "refuse"}
        What happens to rows that some column did not send.

    Returns
    -------
    Join
        Joined rows in the order of their pseudonyms, which is nobody's order.
    """
    sizes = [len(m.representation) for m in messages]
    coded = [m for m in messages if m.pseudonyms is not None]
    if not coded:
        if len(set(sizes)) > 1:
            found = ", ".join(f"{m.sender} {n}" for m, n in zip(messages, sizes, strict=True))
            raise MessageError(
                f"the parties of one row institution sent different numbers of rows ({found}) "
                f"and no pseudonyms to join them by."
            )
        return Join([None] * len(sizes), sizes, sizes[0])
    if len(coded) < len(messages):
        without = [m.sender for m in messages if m.pseudonyms is None]
        raise MessageError(f"{without} sent no pseudonyms, but the others of their row did.")
    indices = [_index(m) for m in messages]
    first = _in_order(messages[0], indices[0])
    places = [index.find(first) for index in indices]
    shared = np.logical_and.reduce([place >= 0 for place in places])
    n_shared = int(shared.sum())
    if unmatched == "refuse" and any(size > n_shared for size in sizes):
        counts = [f"{m.sender} {n - n_shared}" for m, n in zip(messages, sizes, strict=True)]
        raise MessageError(
            f"rows are not at every party of their row ({', '.join(counts)}) and the study's rule "
            f"is 'refuse'. Correct the tables, or agree on unmatched = 'drop' or 'keep'."
        )
    if unmatched == "keep" and any(size > n_shared for size in sizes):
        everyone = _union(messages)
        return Join([index.find(everyone) for index in indices], sizes, n_shared)
    return Join([place[shared] for place in places], sizes, n_shared)


def _index(message: Contribution | Query) -> PseudonymIndex:
    """Make the pseudonyms of a message searchable, and refuse doubles."""
    assert message.pseudonyms is not None
    index = PseudonymIndex(message.pseudonyms)
    if index.n_doubles:
        raise MessageError(
            f"{message.sender} sent {index.n_doubles} pseudonyms twice; ids must be unique within "
            f"a party."
        )
    return index


def _in_order(message: Contribution | Query, index: PseudonymIndex) -> npt.NDArray[np.uint8]:
    assert message.pseudonyms is not None
    return message.pseudonyms if index.order is None else message.pseudonyms[index.order]


def _union(messages: Sequence[Contribution | Query]) -> npt.NDArray[np.uint8]:
    """Return every pseudonym that some message has, once and in order."""
    codes = np.concatenate([m.pseudonyms for m in messages if m.pseudonyms is not None])
    index = PseudonymIndex(codes)
    ordered = codes if index.order is None else codes[index.order]
    repeated = (ordered[1:] == ordered[:-1]).all(axis=1)
    return np.asarray(ordered[np.append(True, ~repeated)])
