"""What institutions sent, read from the messages that were overheard."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.baselines.sent import Sent
from consilience.consensus.protocol.payloads import unpack
from consilience.messages import (
    Contribution,
    LocalLabels,
    Message,
    NodeUpdate,
    Ranking,
    Summary,
)
from consilience.transports.wire import encode

__all__ = ["Held", "read_messages"]

ANALYST = "analyst"
Index = npt.NDArray[np.intp]


class Held(NamedTuple):
    """What one institution holds, and what it sent."""

    rows: Index
    columns: Index
    sent: Sent


def read_messages(
    heard: Iterable[Message], place: Callable[[Message], tuple[Index, Index]]
) -> list[Held]:
    """Gather what each institution said, in the form an attacker would use it.

    Parameters
    ----------
    heard : iterable of Message
        What :func:`~consilience.transports.overhearing.overhear` collected.
    place : callable
        Gives the rows and columns that the sender of a message holds.

    Returns
    -------
    list of Held
        One for each place. Bytes are those of the messages as they travel, before they are sealed;
        the same message to several others counts as often.
    """
    found: dict[tuple[str, bytes, bytes], Held] = {}
    said: set[tuple[Any, ...]] = set()
    for message in heard:
        if message.sender == ANALYST:
            continue
        rows, columns = place(message)
        key = (message.sender, rows.tobytes(), columns.tobytes())
        held = found.setdefault(key, Held(rows, columns, Sent()))
        held.sent.n_bytes += len(encode(message))
        again = (*key, type(message).__name__, getattr(message, "iteration", None))
        if again not in said:
            said.add(again)
            _READ.get(type(message), _nothing)(message, held)
    return list(found.values())


def _rows(message: Any, held: Held) -> None:
    held.sent.of_rows.append(np.asarray(message.representation, dtype=np.float64))


def _labels(message: Any, held: Held) -> None:
    # Later iterations are about the medoids that are left, and say less of fewer rows.
    if message.iteration == 1 and message.n_votes is None:
        held.sent.of_rows.append(unpack(message.packed, message.n_labels, len(held.rows)))


def _ranking(message: Any, held: Held) -> None:
    n, width = len(held.rows), max(len(held.rows) - 1, 1).bit_length()
    if message.iteration != 1 or len(message.packed) * 8 // width < n:
        return
    places = np.empty(n)
    places[unpack(message.packed, n, n)] = np.arange(n) / n
    held.sent.of_rows.append(places)


def _nothing(message: Any, held: Held) -> None:
    """Take note of a message that tells nothing of rows but that they are there."""


_READ: dict[type[Message], Callable[[Any, Held], None]] = {
    Contribution: _rows,
    Summary: lambda message, held: held.sent.points.append(message.centers),
    NodeUpdate: lambda message, held: held.sent.points.append(message.nodes),
    LocalLabels: _labels,
    Ranking: _ranking,
}
"""How each kind of message is read by who wants to know about rows."""
