"""A bundle and its statement, on disk together: no bundle appears without its evidence."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from pathlib import Path

from consilience.evidence.statement import ENDING, WORDS_ENDING, Circumstances, state_release
from consilience.evidence.wording import in_words
from consilience.messages import Message
from consilience.study.envelope import Envelope
from consilience.study.files import write_whole
from consilience.study.participant import Participant
from consilience.transports.bundle import Manifest, seal_bundle

__all__ = ["seal_release", "write_statement"]


def seal_release(
    files: ExitStack,
    path: Path,
    me: Participant,
    message: Message,
    manifest: Manifest,
    known: Circumstances,
) -> Envelope:
    """Write a sealed bundle and beside it the signed statement of what it is.

    Parameters
    ----------
    files : ExitStack
        All files appear when it is closed, the bundle after its statement; none if that fails.
    path : Path
        The bundle to be.
    me : Participant
    message : Message
    manifest : Manifest
    known : Circumstances

    Returns
    -------
    Envelope
        The statement.
    """
    target = files.enter_context(write_whole(path))
    seal_bundle(target, message, manifest, study=me.study, identity=me.identity)
    target.seek(0)
    sealed = hashlib.file_digest(target, "sha256").hexdigest()  # type: ignore[arg-type]
    envelope = state_release(me, manifest, (path.name, sealed), known)
    write_statement(files, path, envelope)
    return envelope


def write_statement(files: ExitStack, path: Path, envelope: Envelope) -> None:
    """Write a statement beside the bundle it is about: signed, and in words."""
    texts = {ENDING: envelope.to_text() + "\n", WORDS_ENDING: in_words(envelope.statement)}
    for ending, text in texts.items():
        stream = files.enter_context(write_whole(path.with_name(path.name + ending)))
        stream.write(text.encode())
