"""Messages inside one process: a queue, and nothing else."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from consilience.exceptions import MessageError
from consilience.messages import Message, Role
from consilience.transports.overhearing import note

__all__ = ["deliver"]


def deliver(messages: Iterable[Message], roles: Mapping[str, Role]) -> None:
    """Hand each message to its recipient until no role has anything left to say.

    Parameters
    ----------
    messages : iterable of Message
        What has been said so far. It is consumed lazily: a generator that makes one message at
        a time keeps one message at a time in memory.
    roles : mapping of str to Role
        The roles of this process by name.

    Examples
    --------
    >>> from consilience.messages import Failure
    >>> class Listener:
    ...     name = "analyst"
    ...     def receive(self, message):
    ...         print(message.sender, "says", message.reason)
    ...         return []
    >>> hello = Failure(study="", sender="clinic", recipient="analyst", reason="no rows")
    >>> deliver([hello], {"analyst": Listener()})
    clinic says no rows
    """
    for message in messages:
        queue = deque([message])
        del message
        while queue:
            recipient = queue[0].recipient
            if recipient not in roles:
                raise MessageError(
                    f"a {type(queue[0]).__name__} is addressed to {recipient!r}, but the roles "
                    f"here are {sorted(roles)}."
                )
            note(queue[0])
            # The recipient alone holds the message: it can release what it has used up.
            queue.extend(roles[recipient].receive(queue.popleft()))
