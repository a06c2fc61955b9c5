"""A bundle and its statement, on disk together: no bundle appears without its evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import IO

from consilience.evidence.statement import ENDING, WORDS_ENDING, Circumstances, state_release
from consilience.evidence.wording import in_words
from consilience.messages import Message
from consilience.study.envelope import Envelope
from consilience.study.participant import Participant
from consilience.transports.bundle import Manifest, seal_bundle

__all__ = ["seal_release", "write_statement"]

Opener = Callable[[str], IO[bytes]]


def seal_release(
    opened: Opener,
    name: str,
    me: Participant,
    message: Message,
    manifest: Manifest,
    known: Circumstances,
) -> Envelope:
    """Write a sealed bundle and beside it the signed statement of what it is.

    Parameters
    ----------
    opened : callable
        Of :func:`~consilience.study.together.replace_together`: all files appear when it is done,
        the bundle after its statement; none if that fails.
    name : str
        Of the file of the bundle to be.
    me : Participant
    message : Message
    manifest : Manifest
    known : Circumstances

    Returns
    -------
    Envelope
        The statement.
    """
    target = opened(name)
    seal_bundle(target, message, manifest, study=me.study, identity=me.identity)
    target.seek(0)
    sealed = hashlib.file_digest(target, "sha256").hexdigest()  # type: ignore[arg-type]
    envelope = state_release(me, manifest, (name, sealed), known)
    write_statement(opened, name, envelope)
    return envelope


def write_statement(opened: Opener, name: str, envelope: Envelope) -> None:
    """Write a statement beside the bundle it is about: signed, and in words."""
    texts = {ENDING: envelope.to_text() + "\n", WORDS_ENDING: in_words(envelope.statement)}
    for ending, text in texts.items():
        opened(name + ending).write(text.encode())
