"""Hear what roles say to each other inside one process: to count it, and to attack it.

Nothing is heard unless somebody in this process asks to, and only while asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from consilience.messages import Message

__all__ = ["note", "overhear"]

_heard: ContextVar[list[Message] | None] = ContextVar("heard", default=None)


@contextmanager
def overhear() -> Iterator[list[Message]]:
    """Collect every message that is delivered inside this process meanwhile.

    Examples
    --------
    >>> from consilience import SummaryClustering
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> with overhear() as heard:
    ...     model = SummaryClustering(2, epsilon=None, random_state=0).fit(X)
    >>> [(type(message).__name__, message.recipient) for message in heard]
    [('Summary', 'analyst'), ('Summary', '0')]
    """
    messages: list[Message] = []
    before = _heard.set(messages)
    try:
        yield messages
    finally:
        _heard.reset(before)


def note(message: Message) -> None:
    """Let whoever listens hear a message."""
    heard = _heard.get()
    if heard is not None:
        heard.append(message)
