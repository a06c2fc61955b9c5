"""What a peer has heard and not yet used, and what it has said and may have to say again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import MessageError
from consilience.messages import (
    Commitment,
    Failure,
    LocalLabels,
    Message,
    Outline,
    PeerMessage,
    Ranking,
    Roster,
    StateDigest,
    Witness,
)

__all__ = ["STEPS", "Inbox", "Outbox", "Step", "step_of"]

Step = Literal[
    "outline", "roster", "label-commit", "labels", "rank-commit", "ranking", "digest", "done"
]
STEPS: tuple[Step, ...] = get_args(Step)
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
        key = _key(message)
        if key[2] == "done":
            raise MessageError(f"a peer cannot use a {type(message).__name__}.")
        fingerprint = _fingerprint(message)
        heard = self._heard.get((key, message.sender))
        if heard == fingerprint:
            kept = self._kept.get(key, {})
            if message.sender in kept and isinstance(message, Witness) and message.in_full:
                # The same with all that its sender heard, before its step: that will be asked for.
                kept[message.sender] = message
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
        self._heard.pop((_key(message), message.sender), None)

    def drop_before(self, attempt: int, iteration: int) -> None:
        """Forget everything that belongs to earlier iterations."""
        now = (attempt, iteration)
        self._kept = {key: kept for key, kept in self._kept.items() if key[:2] >= now}
        self._heard = {key: mark for key, mark in self._heard.items() if key[0][:2] >= now}


class Outbox:
    """Addresses messages to the other members and keeps recent ones for a peer that rejoins.

    Parameters
    ----------
    membership : Membership
        Whom to write to, and by which count of attempts.
    study : str
    """

    def __init__(self, membership: Membership, study: str) -> None:
        self._membership, self._study = membership, study
        self._said: list[PeerMessage] = []

    def write(
        self,
        kind: type[PeerMessage],
        iteration: int,
        recipients: Sequence[str] | None = None,
        **payload: Any,
    ) -> list[PeerMessage]:
        """Make one message for each recipient, by default for all other members."""
        payload |= {"iteration": iteration, "attempt": self._membership.attempt}
        to = self._membership.others if recipients is None else recipients
        return [kind(**self._header(name), **payload) for name in to]

    def say(
        self,
        kind: type[PeerMessage],
        iteration: int,
        recipients: Sequence[str] | None = None,
        **payload: Any,
    ) -> list[PeerMessage]:
        """Make one message for each recipient, by default for all other members, and keep them."""
        return self.keep(self.write(kind, iteration, recipients, **payload))

    def keep(self, messages: list[PeerMessage]) -> list[PeerMessage]:
        """Keep messages that are about to leave, each once."""
        known = {(m.recipient, *_key(m)) for m in self._said}
        self._said += [m for m in messages if (m.recipient, *_key(m)) not in known]
        return messages

    @property
    def said(self) -> list[PeerMessage]:
        """What was said lately, to be kept for a restart."""
        return list(self._said)

    def again(self, recipient: str, since: int) -> list[Message]:
        """Repeat what was said to one member from an iteration on."""
        return [m for m in self._said if m.recipient == recipient and m.iteration >= since]

    def witness(self, recipient: str, iteration: int) -> list[Witness]:
        """Return what a member was last told in an iteration of what this peer has heard."""
        said = [m for m in self._said if isinstance(m, Witness) and m.recipient == recipient]
        return [m for m in said if m.iteration == iteration][-1:]

    def forget(self, before: int | None = None) -> None:
        """Forget what was said before an iteration, or everything."""
        self._said = [m for m in self._said if before is not None and m.iteration >= before]

    def refuse(self, message: Message, reason: str) -> list[Message]:
        """Answer a message that had no effect."""
        return [Failure(**self._header(message.sender), reason=reason)]

    def _header(self, recipient: str) -> dict[str, Any]:
        return {"study": self._study, "sender": self._membership.name, "recipient": recipient}


def step_of(message: Message) -> Step:
    """Name the step a message belongs to; one outside the steps comes after them."""
    if isinstance(message, Commitment):
        return "label-commit" if message.phase == "labels" else "rank-commit"
    steps: dict[type[Message], Step] = {
        Outline: "outline",
        Roster: "roster",
        LocalLabels: "labels",
        Ranking: "ranking",
        StateDigest: "digest",
    }
    return steps.get(type(message), "done")


def _key(message: PeerMessage) -> Key:
    return message.attempt, message.iteration, step_of(message)


def _fingerprint(message: PeerMessage) -> bytes:
    """Hash what binds a sender; the lists of what it heard come only where someone asks."""
    hashed = hashlib.sha256(type(message).__name__.encode())
    for name, value in vars(message).items():
        if name in ("commitments", "rosters"):
            continue
        hashed.update(value.tobytes() if isinstance(value, np.ndarray) else str(value).encode())
        hashed.update(b"\x00")
    return hashed.digest()
