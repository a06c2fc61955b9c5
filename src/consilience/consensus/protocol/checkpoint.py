"""A peer's memory as plain arrays, so that a killed peer can rejoin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.consensus.protocol.state import State
from consilience.exceptions import StudyError

__all__ = ["Memory", "from_arrays", "to_arrays"]


@dataclass(frozen=True, eq=False)
class Memory:
    """What a peer must not forget between two iterations.

    Parameters
    ----------
    secret : bytes
        From which its nonces come: without it, it could not open what it committed to.
    attempt : int
    members : tuple of str
    done : bool
    table : bytes
        Digest of the peer's own columns; it stays in the peer's private folder.
    rows : ndarray of int64
        Places of the common rows in the peer's table.
    commitments : ndarray of shape (n_members, 2, 32), uint8
        What it heard in the last finished iteration.
    state, previous : State or None
    """

    secret: bytes
    attempt: int
    members: tuple[str, ...]
    done: bool
    table: bytes
    rows: npt.NDArray[np.int64]
    commitments: npt.NDArray[np.uint8]
    state: State | None
    previous: State | None


def to_arrays(memory: Memory, peers: tuple[str, ...]) -> Arrays:
    """Write a memory as arrays, without any object that would need a pickle."""
    arrays: Arrays = {
        "secret": np.frombuffer(memory.secret, dtype=np.uint8),
        "attempt": np.array([memory.attempt]),
        "members": np.array([m in memory.members for m in peers]),
        "done": np.array([memory.done]),
        "table": np.frombuffer(memory.table, dtype=np.uint8),
        "rows": memory.rows,
        "commitments": memory.commitments,
    }
    for place, state in (("state", memory.state), ("previous", memory.previous)):
        if state is not None:
            arrays |= {
                f"{place}.iteration": np.array([state.iteration]),
                f"{place}.active": state.active,
                f"{place}.parent": state.parent,
                f"{place}.joined": state.joined,
                f"{place}.excluded": np.array([m in state.excluded for m in peers]),
            }
    return arrays


def from_arrays(arrays: Arrays, peers: tuple[str, ...]) -> Memory:
    """Read what :func:`to_arrays` wrote."""
    try:
        return Memory(
            arrays["secret"].tobytes(),
            int(arrays["attempt"][0]),
            _named(arrays["members"], peers),
            bool(arrays["done"][0]),
            arrays["table"].tobytes(),
            arrays["rows"],
            arrays["commitments"],
            _state(arrays, "state", peers),
            _state(arrays, "previous", peers),
        )
    except (KeyError, IndexError, ValueError) as error:
        raise StudyError(
            f"the checkpoint is not one of these {len(peers)} peers: delete it to start over."
        ) from error


def _named(marks: npt.NDArray[Any], peers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(m for m, mark in zip(peers, marks, strict=True) if mark)


def _state(arrays: Arrays, place: str, peers: tuple[str, ...]) -> State | None:
    if f"{place}.iteration" not in arrays:
        return None
    return State(
        int(arrays[f"{place}.iteration"][0]),
        arrays[f"{place}.active"],
        arrays[f"{place}.parent"],
        arrays[f"{place}.joined"],
        _named(arrays[f"{place}.excluded"], peers),
    )
