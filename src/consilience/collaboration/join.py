"""Rows meet by pseudonym: the columns of one row institution side by side.

Parties send their pseudonyms in rising order, so that rows meet as in a merge: windows of all
columns up to the same pseudonym are held at a time, and none of them is longer than a few rows in a
million. What does not rise is put in order first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.engines.engine import Engine
from consilience.engines.in_memory import InMemory
from consilience.exceptions import MessageError
from consilience.mapped import let_go
from consilience.messages import Contribution, Query
from consilience.study.pseudonym_index import PseudonymIndex

__all__ = ["Join", "join_columns"]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.integer]
Rule = Literal["drop", "keep", "refuse"]

WINDOW_ROWS = 2**18
"""Pseudonyms of a column that are held at a time."""
SPREAD_ROWS = 2**20
"""Rows that are given back at a time."""


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

    positions: list[Places | None]
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
        if self.n_complete < self.n_rows:
            for position in self.positions:
                if position is not None:
                    sent &= position >= 0
        return sent

    def stack(self, messages: Sequence[Contribution | Query], part: slice = slice(None)) -> Array:
        """Put joined rows of each column side by side (Eq. 7 of [Kawamata2025]_), or a part.

        Coordinates of a column that did not send a row are NaN.
        """
        parts = []
        for message, position in zip(messages, self.positions, strict=True):
            places: Any = part if position is None else position[part]
            taken: Any = message.representation[places]
            if message.steps is not None:
                taken = taken * message.steps
            if position is not None:
                if self.n_complete < self.n_rows:
                    taken[places < 0] = np.nan
                if len(places):
                    let_go(message.representation[max(places.min(), 0) : places.max() + 1])
                let_go(position[part])
            parts.append(taken)
        return np.hstack(parts) if len(parts) > 1 else np.asarray(parts[0])

    def spread(
        self, values: npt.NDArray[Any], column: int, full: npt.NDArray[Any] | None = None
    ) -> npt.NDArray[Any]:
        """Give each row a column sent its value; -1 (0 in a matrix) to rows not joined.

        Parameters
        ----------
        values : ndarray of shape (n_rows, ...)
        column : int
        full : ndarray of shape (sizes[column], ...), optional
            Where to put them, with what is given to rows not joined.
        """
        position = self.positions[column]
        if position is None:
            return values
        if full is None:
            missing = -1 if values.ndim == 1 else 0
            full = np.full((self.sizes[column], *values.shape[1:]), missing, dtype=values.dtype)
        for start in range(0, len(position), SPREAD_ROWS):
            places, part = (
                position[start : start + SPREAD_ROWS],
                values[start : start + SPREAD_ROWS],
            )
            sent = places >= 0
            there = places[sent]
            full[there] = part[sent]
            if len(there):
                let_go(full[there.min() : there.max() + 1])
            let_go(part)
            let_go(places)
        return full


def join_columns(
    messages: Sequence[Contribution | Query],
    unmatched: Rule = "drop",
    engine: Engine | None = None,
) -> Join:
    """Find the rows that the columns of one row institution share.

    Parameters
    ----------
    messages : sequence of Contribution or Query
        One per column. Either all carry pseudonyms, or none does and all hold the same rows in
        the same order.
    unmatched : {"drop", "keep", "refuse"}
        What happens to rows that some column did not send.
    engine : Engine, optional
        What keeps the places of the rows; memory by default.

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
    names = [m.sender for m in messages]
    kept = (engine or InMemory()).keep(
        f"join of {names}, {unmatched}", lambda: _merge([_Sorted(m) for m in messages], unmatched)
    )
    n_shared = int(kept["complete"].sum())
    if unmatched == "refuse" and any(size > n_shared for size in sizes):
        counts = [f"{m.sender} {n - n_shared}" for m, n in zip(messages, sizes, strict=True)]
        raise MessageError(
            f"rows are not at every party of their row ({', '.join(counts)}) and the study's rule "
            f"is 'refuse'. Correct the tables, or agree on unmatched = 'drop' or 'keep'."
        )
    return Join([kept[str(j)] for j in range(len(messages))], sizes, n_shared)


class _Sorted:
    """The pseudonyms of a message in rising order, of which windows are taken."""

    def __init__(self, message: Contribution | Query) -> None:
        assert message.pseudonyms is not None
        self.codes, self.sender = message.pseudonyms, message.sender
        self.order: npt.NDArray[np.intp] | None = None
        self.n_taken = 0
        if not _rises(self.codes):
            index = PseudonymIndex(self.codes)
            if index.n_doubles:
                raise MessageError(
                    f"{self.sender} sent {index.n_doubles} pseudonyms twice; ids must be unique "
                    f"within a party."
                )
            assert index.order is not None
            self.order, self.codes = index.order, self.codes[index.order]

    def ahead(self) -> bytes | None:
        """Return the last pseudonym of a window of the greatest length; None if all are in it."""
        last = self.n_taken + WINDOW_ROWS
        return None if last >= len(self.codes) else self.codes[last].tobytes()

    def take(self, upto: bytes | None) -> tuple[Codes, Places]:
        """Return the pseudonyms up to one, and where they stand in the message."""
        stop = len(self.codes) if upto is None else self._above(upto)
        window = slice(self.n_taken, stop)
        self.n_taken = stop
        codes = np.array(self.codes[window])
        let_go(self.codes[window])
        places = np.arange(window.start, stop) if self.order is None else self.order[window]
        return codes, places.astype(np.int32 if len(self.codes) < 2**31 else np.int64)

    def _above(self, code: bytes) -> int:
        """Return where the first pseudonym above one stands, by bisection."""
        low, high = self.n_taken, min(self.n_taken + WINDOW_ROWS + 1, len(self.codes))
        while low < high:
            middle = (low + high) // 2
            if self.codes[middle].tobytes() <= code:
                low = middle + 1
            else:
                high = middle
        return low


def _rises(codes: Codes) -> bool:
    """Tell whether every pseudonym is above the one before."""
    for start in range(0, len(codes), WINDOW_ROWS):
        part = codes[start : start + WINDOW_ROWS + 1]
        index = PseudonymIndex(part)
        if index.order is not None or index.n_doubles:
            return False
        let_go(part)
    return True


def _merge(columns: Sequence[_Sorted], unmatched: Rule) -> Iterator[Arrays]:
    """Yield where shared rows stand in each column (all rows, if they are kept), in order."""
    while True:
        ahead = [code for code in (column.ahead() for column in columns) if code is not None]
        # The window that reaches least far sets the end of all: none is longer than allowed.
        upto = min(ahead, default=None)
        windows = [column.take(upto) for column in columns]
        codes = _union([c for c, _ in windows]) if unmatched == "keep" else windows[0][0]
        found = [
            np.arange(len(codes)) if c is codes else PseudonymIndex(c).find(codes)
            for c, _ in windows
        ]
        shared = np.logical_and.reduce([place >= 0 for place in found])
        part: Arrays = {"complete": np.array([shared.sum()])}
        for j, (place, (_, places)) in enumerate(zip(found, windows, strict=True)):
            if unmatched != "keep":
                place = place[shared]
            at = places[np.maximum(place, 0)] if len(places) else np.zeros(len(place), np.int32)
            part[str(j)] = np.where(place >= 0, at, -1).astype(at.dtype)
        yield part
        if upto is None:
            return


def _union(windows: Sequence[Codes]) -> Codes:
    """Return every pseudonym that some window has, once and in order."""
    codes = np.concatenate(windows)
    index = PseudonymIndex(codes)
    ordered = codes if index.order is None else codes[index.order]
    repeated = (ordered[1:] == ordered[:-1]).all(axis=1)
    return np.asarray(ordered[np.append(True, ~repeated)]) if len(codes) else codes
