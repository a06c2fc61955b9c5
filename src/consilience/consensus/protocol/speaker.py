"""What a peer says: headers, one copy for each member, and what can be said again."""

from __future__ import annotations

from typing import Any

from consilience.messages import Failure, Message, PeerMessage

__all__ = ["Speaker"]


class Speaker:
    """Addresses messages to the other members and keeps recent ones for a peer that rejoins.

    Parameters
    ----------
    name, study : str
    """

    def __init__(self, name: str, study: str) -> None:
        self._name, self._study = name, study
        self._said: list[PeerMessage] = []

    def header(self, recipient: str) -> dict[str, Any]:
        """Return the fields every message begins with."""
        return {"study": self._study, "sender": self._name, "recipient": recipient}

    def tell(
        self, kind: type[PeerMessage], members: list[str], place: dict[str, Any], **payload: Any
    ) -> list[Message]:
        """Make one message for each member.

        Parameters
        ----------
        kind : type of PeerMessage
        members : list of str
        place : dict
            Iteration and attempt.
        """
        return [kind(**self.header(m), **place, **payload) for m in members]

    def say(
        self, kind: type[PeerMessage], members: list[str], place: dict[str, Any], **payload: Any
    ) -> list[Message]:
        """Make one message for each member, and keep them."""
        messages = [kind(**self.header(m), **place, **payload) for m in members]
        self._said += messages
        return list(messages)

    def again(self, recipient: str, since: int) -> list[Message]:
        """Repeat what was said to one member from an iteration on."""
        return [m for m in self._said if m.recipient == recipient and m.iteration >= since]

    def forget_before(self, iteration: int | None) -> None:
        """Forget what was said before an iteration, or everything."""
        self._said = [m for m in self._said if iteration is not None and m.iteration >= iteration]

    def refuse(self, message: Message, reason: str) -> list[Message]:
        """Answer a message that had no effect."""
        return [Failure(**self.header(message.sender), reason=reason)]
