"""Peers without a network: the same messages as bundles, carried by hand round after round."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Protocol

from consilience.exceptions import BundleError, MessageError
from consilience.messages import (
    Absence,
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
    attempt: int
    members: tuple[str, ...]
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

    def give_up(self) -> list[Message]:
        """Do what the terms say about those it waits for."""


def play_round(
    role: FileRole, folder: Path, *, study: Study, identity: Identity, give_up: bool = False
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
    give_up : bool, default=False
        Do what the study says about those the role still waits for. No clock runs between two
        rounds, so a person decides. A declaration of absence stays in the folder, with a copy
        for the role itself, and counts in every later round.

    Returns
    -------
    written : list of Path
        New bundles for the others.
    refused : list of str
        Bundles that had no effect, and why.
    """
    heard, refused = _read(role, folder, study, identity)
    said = _replay(role, heard, refused)
    if give_up and not any(m.attempt == role.attempt for m in _absences(said)):
        said += role.give_up()
    said += [replace(m, recipient=role.name) for m in _absences(said)]
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for news in said:
        path = folder / _file_name(news)
        if path.exists():
            continue
        manifest = describe(news, study, f"{type(news).__name__} of {news.sender}")
        write_bundle(path, news, manifest, study=study, identity=identity)
        written.append(path)
    return written, refused


def _replay(role: FileRole, heard: list[PeerMessage], refused: list[str]) -> list[Message]:
    """Tell a new role all that was heard, and its own declarations where it made them."""
    said = list(role.begin())
    for attempt, group in groupby(heard, key=lambda m: m.attempt):
        messages = list(group)
        own = next((m for m in _absences(messages) if m.sender == role.name), None)
        late = _late(role, own, messages)
        for message in messages:
            if not isinstance(message, Absence) and not late(message):
                said += _hear(role, message, refused)
        if own is not None and role.attempt == attempt:
            said += role.give_up()
        absences = [m for m in _absences(messages) if m.sender != role.name]
        for later in (*absences, *filter(late, messages)):
            said += _hear(role, later, refused)
    return said


def _hear(role: FileRole, message: Message, refused: list[str]) -> list[Message]:
    try:
        return role.receive(message)
    except MessageError as error:
        refused.append(str(error))
        return []


def _absences(messages: Iterable[Message]) -> list[Absence]:
    return [m for m in messages if isinstance(m, Absence)]


def _late(
    role: FileRole, own: Absence | None, messages: list[PeerMessage]
) -> Callable[[PeerMessage], bool]:
    """Tell which messages came too late: those of a peer that all others agreed to go on without.

    They are heard after the declarations, and so refused: they must not undo what was decided.
    """
    lists = {m.sender: set(m.missing.split(",")) for m in _absences(messages)}
    missing = set() if own is None else lists[role.name] - (lists.keys() - {role.name})
    rest = [m for m in role.members if m not in missing]
    agreed = all(lists.get(m) == missing for m in rest if m != role.name)
    dropped = missing if agreed else set()

    def late(message: PeerMessage) -> bool:
        return own is not None and message.iteration >= own.iteration and message.sender in dropped

    return late


def _read(
    role: FileRole, folder: Path, study: Study, identity: Identity
) -> tuple[list[PeerMessage], list[str]]:
    """Read the bundles for a role in the order of the steps."""
    messages: list[PeerMessage] = []
    refused: list[str] = []
    pattern = f"*--{_plain(role.name)}--*{SUFFIX}"
    for path in sorted(folder.glob(pattern)):
        try:
            message, _ = read_bundle(path, study=study, identity=identity)
        except BundleError as error:
            refused.append(str(error))
            continue
        if isinstance(message, PeerMessage) and path.name == _file_name(message):
            messages.append(message)
        elif isinstance(message, Failure):
            refused.append(f"{message.sender} says: {message.reason}")
        else:
            refused.append(f"{path.name} does not hold what its name says.")
    return sorted(messages, key=_order), refused


def _order(message: PeerMessage) -> tuple[int, int, int, int, str]:
    # Lists of the missing only shrink: of one peer's the longest comes first.
    return (*_place(message), -_n_missing(message), message.sender)


def _place(message: PeerMessage) -> tuple[int, int, int]:
    return message.attempt, message.iteration, _step(message)


def _n_missing(message: Message) -> int:
    return len(message.missing.split(",")) if isinstance(message, Absence) else 0


def _step(message: Message) -> int:
    if isinstance(message, Commitment):
        return 1 if message.phase == "labels" else 3
    kinds = {Roster: 0, LocalLabels: 2, Ranking: 4, StateDigest: 5}
    return kinds.get(type(message), 6)


def _file_name(message: Message) -> str:
    place = "refusal"
    if isinstance(message, PeerMessage):
        place = "{:02d}-{:03d}-{}".format(*_place(message))
    kind = type(message).__name__.lower()
    if isinstance(message, Absence):
        kind += f"-{_n_missing(message)}"
    return f"{_plain(message.sender)}--{_plain(message.recipient)}--{place}-{kind}{SUFFIX}"


def _plain(name: str) -> str:
    return name.replace("/", ".")
