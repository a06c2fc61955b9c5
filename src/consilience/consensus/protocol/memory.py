"""What a peer must not forget when its process ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.consensus.protocol.shared_state import SharedState, from_arrays
from consilience.exceptions import StudyError
from consilience.messages import PeerMessage

__all__ = ["Memory"]

STATES = ("state", "previous")


@dataclass(frozen=True, eq=False)
class Memory:
    """A peer between two messages.

    Parameters
    ----------
    table, settings : bytes
        Digest of its table, and its settings in words: with others a run cannot be taken up.
    secret : bytes
        Hides what it committed to and has not revealed yet.
    members : tuple of str
    attempt : int
    done : bool
    places : ndarray of int64
        Places of the common rows in its table.
    promises : dict of str to ndarray
        What every member has committed to.
    state, previous : SharedState or None
    said : sequence of PeerMessage
        What it said lately: others that were away may still need it.
    """

    table: bytes
    settings: bytes
    secret: bytes
    members: tuple[str, ...]
    attempt: int
    done: bool
    places: npt.NDArray[np.int64]
    promises: Arrays
    state: SharedState | None
    previous: SharedState | None
    said: Sequence[PeerMessage] = ()

    def to_arrays(self, peers: tuple[str, ...]) -> Arrays:
        """Write all but what was said as plain arrays, see :meth:`from_arrays`."""
        texts = {name: getattr(self, name) for name in ("table", "settings", "secret")}
        arrays: Arrays = {
            **{name: np.frombuffer(text, dtype=np.uint8) for name, text in texts.items()},
            "attempt": np.array([self.attempt]),
            "members": np.array([name in self.members for name in peers]),
            "done": np.array([self.done]),
            "places": self.places,
            **self.promises,
        }
        for name, state in zip(STATES, (self.state, self.previous), strict=True):
            arrays |= {} if state is None else state.to_arrays(name, peers)
        return arrays

    @classmethod
    def from_arrays(
        cls, arrays: Arrays, peers: tuple[str, ...], said: Sequence[PeerMessage]
    ) -> Memory:
        """Read what :meth:`to_arrays` wrote for the same peers."""
        try:
            marked = zip(peers, arrays["members"], strict=True)
            state, previous = (from_arrays(arrays, name, peers) for name in STATES)
            return cls(
                table=arrays["table"].tobytes(),
                settings=arrays["settings"].tobytes(),
                secret=arrays["secret"].tobytes(),
                members=tuple(name for name, mark in marked if mark),
                attempt=int(arrays["attempt"][0]),
                done=bool(arrays["done"][0]),
                places=arrays["places"],
                promises={name: arrays[name] for name in ("promises", "promised")},
                state=state,
                previous=previous,
                said=said,
            )
        except (KeyError, IndexError, ValueError) as error:
            raise StudyError(
                f"the checkpoint is not one of these {len(peers)} peers: delete it to start over."
            ) from error
