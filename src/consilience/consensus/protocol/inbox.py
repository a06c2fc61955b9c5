"""What a peer has heard and not yet used: each message once, early ones kept, stale ones gone."""

from __future__ import annotations

import hashlib
from typing import Literal

import numpy as np

from consilience.exceptions import MessageError
from consilience.messages import (
    Commitment,
    LocalLabels,
    PeerMessage,
    Ranking,
    Roster,
    StateDigest,
)

__all__ = ["Inbox", "Step"]

Step = Literal["roster", "label-commit", "labels", "rank-commit", "ranking", "digest", "done"]
Key = tuple[int, int, str]
MAX_EARLY = 16


class Inbox:
    """Messages by (attempt, iteration, step) and sender.

    Peers run at their own pace, so a message may come before its step. A copy of a message that
    was heard before, as after a rejoin or from someone who replays the wire, changes nothing.
    """

    def __init__(self) -> None:
        self._kept: dict[Key, dict[str, PeerMessage]] = {}
        self._heard: dict[tuple[Key, str], bytes] = {}

    def keep(self, message: PeerMessage, attempt: int, iteration: int) -> bool:
        """Keep a message for its step; tell whether it is new.

        Parameters
        ----------
        message : PeerMessage
        attempt, iteration : int
            Where the peer is.
        """
        if (message.attempt, message.iteration) < (attempt, iteration):
            return False
        key: Key = (message.attempt, message.iteration, step_of(message))
        fingerprint = _fingerprint(message)
        heard = self._heard.get((key, message.sender))
        if heard == fingerprint:
            return False
        if heard is not None:
            raise MessageError(f"a second, different {type(message).__name__}")
        early = sum(message.sender in kept for kept in self._kept.values())
        if message.attempt > attempt + 1 or message.iteration > iteration + 1 or early >= MAX_EARLY:
            raise MessageError(f"a {type(message).__name__} far ahead of the others")
        self._heard[(key, message.sender)] = fingerprint
        self._kept.setdefault(key, {})[message.sender] = message
        return True

    def take(self, attempt: int, iteration: int, step: Step) -> list[PeerMessage]:
        """Take out the messages of a step."""
        return list(self._kept.pop((attempt, iteration, step), {}).values())

    def forget(self, message: PeerMessage) -> None:
        """Let the sender of a refused message try again."""
        key: Key = (message.attempt, message.iteration, step_of(message))
        self._heard.pop((key, message.sender), None)

    def drop_before(self, attempt: int, iteration: int) -> None:
        """Forget everything that belongs to earlier iterations."""
        now = (attempt, iteration)
        self._kept = {key: kept for key, kept in self._kept.items() if key[:2] >= now}
        self._heard = {key: mark for key, mark in self._heard.items() if key[0][:2] >= now}


def step_of(message: PeerMessage) -> Step:
    """Name the step a message belongs to."""
    match message:
        case Roster():
            return "roster"
        case Commitment():
            return "label-commit" if message.phase == "labels" else "rank-commit"
        case LocalLabels():
            return "labels"
        case Ranking():
            return "ranking"
        case StateDigest():
            return "digest"
        case _:
            raise MessageError(f"a peer cannot use a {type(message).__name__}.")


def _fingerprint(message: PeerMessage) -> bytes:
    hashed = hashlib.sha256(type(message).__name__.encode())
    for value in vars(message).values():
        hashed.update(value.tobytes() if isinstance(value, np.ndarray) else str(value).encode())
        hashed.update(b"\x00")
    return hashed.digest()
