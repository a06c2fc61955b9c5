"""Peers without a network: the same messages as bundles, carried by hand round after round."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from consilience.exceptions import BundleError, MessageError
from consilience.messages import (
    Commitment,
    Failure,
    LocalLabels,
    Message,
    PeerMessage,
    Ranking,
    Roster,
    StateDigest,
)
from consilience.study.identity import Identity
from consilience.study.study import Study
from consilience.transports.bundle import describe, read_bundle, write_bundle

__all__ = ["FileRole", "play_round"]

SUFFIX = ".peer"


class FileRole(Protocol):
    """What a role must offer to be run by :func:`play_round`."""

    name: str
    log: list[str]

    @property
    def done(self) -> bool:
        """Whether it has its result."""

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """Whose message it needs."""

    def begin(self) -> list[Message]:
        """Start."""

    def receive(self, message: Message) -> list[Message]:
        """Take a message, return messages."""


def play_round(
    role: FileRole, folder: Path, *, study: Study, identity: Identity
) -> tuple[list[Path], list[str]]:
    """Take every bundle in a folder that is meant for a role, and write what it says to them.

    A role is a machine without chance of its own, so it starts anew each time, hears everything
    again and says everything again; only what is not in the folder yet is written. Nothing has to
    be remembered between two rounds but the folder and the role's secret.

    Parameters
    ----------
    role : FileRole
        Just made, with the same secret as in earlier rounds.
    folder : Path
        Where bundles are exchanged: a shared folder, or a stick that travels.
    study : Study
    identity : Identity
        To sign, and to open what others sealed.

    Returns
    -------
    written : list of Path
        New bundles for the others.
    refused : list of str
        Bundles that had no effect, and why.
    """
    heard, refused = _read(role, folder, study, identity)
    said = list(role.begin())
    for message in heard:
        try:
            said += role.receive(message)
        except MessageError as error:
            refused.append(str(error))
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for message in said:
        path = folder / _file_name(message)
        if path.exists():
            continue
        manifest = describe(message, study, f"{type(message).__name__} of {message.sender}")
        write_bundle(path, message, manifest, study=study, identity=identity)
        written.append(path)
    return written, refused


def _read(
    role: FileRole, folder: Path, study: Study, identity: Identity
) -> tuple[list[Message], list[str]]:
    """Read the bundles for a role in the order of the steps."""
    messages: list[PeerMessage] = []
    refused: list[str] = []
    pattern = f"*--{_plain(role.name)}--*{SUFFIX}"
    for path in sorted(folder.glob(pattern)):
        try:
            message = read_bundle(path, study=study, identity=identity)
        except BundleError as error:
            refused.append(str(error))
            continue
        if isinstance(message, PeerMessage) and path.name == _file_name(message):
            messages.append(message)
        elif not isinstance(message, Failure):
            refused.append(f"{path.name} does not hold what its name says.")
    order = sorted(messages, key=lambda m: (m.attempt, m.iteration, _step(m), m.sender))
    return list(order), refused


def _step(message: Message) -> int:
    if isinstance(message, Commitment):
        return 1 if message.phase == "labels" else 3
    kinds = {Roster: 0, LocalLabels: 2, Ranking: 4, StateDigest: 5}
    return kinds.get(type(message), 6)


def _file_name(message: Message) -> str:
    place = "refusal"
    if isinstance(message, PeerMessage):
        place = f"{message.attempt:02d}-{message.iteration:03d}-{_step(message)}"
    kind = type(message).__name__.lower()
    return f"{_plain(message.sender)}--{_plain(message.recipient)}--{place}-{kind}{SUFFIX}"


def _plain(name: str) -> str:
    return name.replace("/", ".")
