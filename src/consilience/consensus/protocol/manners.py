"""How a peer treats others that break a rule, ask again and again, or are in the wrong study."""

from __future__ import annotations

from consilience.consensus.protocol.log import Log
from consilience.consensus.protocol.mailbox import Outbox
from consilience.exceptions import MessageError
from consilience.messages import Message, Rejoin

__all__ = ["Manners", "Patience"]

MAX_REJOINS, MAX_REFUSALS = 32, 100
"""So often one peer is answered when it asks again, and when it breaks a rule."""


class Patience:
    """How often each peer is answered before it is ignored, between two steps forward.

    Examples
    --------
    >>> patience = Patience(2)
    >>> [patience.lasts("clinic") for _ in range(3)]
    [True, True, False]
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._asked: dict[str, int] = {}

    def lasts(self, name: str) -> bool:
        """Tell whether a peer may still be answered."""
        self._asked[name] = self._asked.get(name, 0) + 1
        return self._asked[name] <= self._limit

    def renew(self) -> None:
        """Count from nothing again."""
        self._asked = {}


class Manners:
    """Answers to what has no effect on the consensus, never without end.

    Parameters
    ----------
    study : str
        Digest of the study this peer takes part in.
    outbox : Outbox
    log : Log

    Attributes
    ----------
    strangers : set of str
        Peers that take part in another study.
    """

    def __init__(self, study: str, outbox: Outbox, log: Log) -> None:
        self._study, self._outbox, self._log = study, outbox, log
        self._rejoins, self._refusals = Patience(MAX_REJOINS), Patience(MAX_REFUSALS)
        self.strangers: set[str] = set()

    def renew(self) -> None:
        """Answer everyone again: there was a step forward."""
        self._rejoins.renew()

    def check_study(self, message: Message, peers: tuple[str, ...]) -> None:
        """Refuse a message of another study, and say so if it comes from a peer of this one."""
        if message.study == self._study:
            self.strangers.discard(message.sender)
            return
        said = (
            f"{message.sender!r} takes part in another study, {message.study[:12]!r}; yours is "
            f"{self._study[:12]!r}. Compare the two study files: they must be the same."
        )
        if message.sender in peers:
            self.strangers.add(message.sender)
            self._log.append(said)
        raise MessageError(said)

    def describe(self, names: tuple[str, ...]) -> str:
        """Name peers, and say of each that is in another study that it is."""
        lost = ", which takes part in another study"
        return ", ".join(name + (lost if name in self.strangers else "") for name in names)

    def repeat(self, message: Rejoin) -> list[Message]:
        """Say again what a peer may have missed, but not for ever to one that goes on asking."""
        if not self._rejoins.lasts(message.sender):
            self._log.append(f"{message.sender} asks again and again; it is no longer answered")
            return []
        return self._outbox.again(message.sender, message.iteration - 1)

    def refuse(self, message: Message, reason: str) -> list[Message]:
        """Tell the sender of a message why it had no effect."""
        self._log.append(f"refused a {type(message).__name__} of {message.sender}: {reason}")
        lasts = self._refusals.lasts(message.sender)
        return self._outbox.refuse(message, reason) if lasts else []
