"""Peers without a network: the same messages as bundles, carried by hand round after round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from consilience.by_files import Letter
from consilience.consensus.protocol.mailbox import STEPS, step_of
from consilience.consensus.protocol.peer import Peer
from consilience.exceptions import MessageError
from consilience.messages import Absence, Failure, Message, PeerMessage, Witness

__all__ = ["letter_name", "letters_for", "play_round"]

SUFFIX = ".peer"


def play_round(
    role: Peer,
    arrived: Sequence[Letter],
    there: Collection[str] = (),
    *,
    give_up: bool = False,
) -> tuple[list[Letter], list[str]]:
    """Tell a role every letter so far, and return what it says that has not been said yet.

    A role is a machine without chance of its own, so it starts anew each time, hears everything
    again and says everything again; what it said before lies in the folder. Nothing has to be
    remembered between two rounds but the folder and the role's secret.

    Parameters
    ----------
    role : Peer
        Just made, with the same secret as in earlier rounds.
    arrived : sequence of Letter
        Verified: from the others, and declarations of absence of its own.
    there : collection of str
        The names of all files in the folder: what was said before is not said again.
    give_up : bool, default=False
        Do what the study says about those the role still waits for. No clock runs between two
        rounds, so a person decides. A declaration of absence stays in the folder, with a copy
        for the role itself, and counts in every later round.

    Returns
    -------
    said : list of Letter
        For the others, and declarations of absence for the role itself.
    refused : list of str
        Letters that had no effect, and why.
    """
    heard, refused = _sort(arrived)
    said = _replay(role, heard, refused)
    if give_up and not any(m.attempt == role.attempt for m in _absences(said)):
        said += role.give_up()
    said += [replace(m, recipient=role.name) for m in _absences(said)]
    letters: dict[str, Letter] = {}
    for message in said:
        purpose, file = f"{type(message).__name__} of {message.sender}", letter_name(message)
        letters.setdefault(file, Letter(message, purpose, file))
    return [letter for file, letter in letters.items() if file not in there], refused


def letters_for(name: str, *folders: Path) -> list[Path]:
    """Return the files in folders that are meant for a role."""
    return sorted(
        path for folder in folders for path in folder.glob(f"*--{_plain(name)}--*{SUFFIX}")
    )


def _replay(role: Peer, heard: list[PeerMessage], refused: list[str]) -> list[Message]:
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


def _hear(role: Peer, message: Message, refused: list[str]) -> list[Message]:
    try:
        return role.receive(message)
    except MessageError as error:
        refused.append(str(error))
        return []


def _absences(messages: Iterable[Message]) -> list[Absence]:
    return [m for m in messages if isinstance(m, Absence)]


def _late(
    role: Peer, own: Absence | None, messages: list[PeerMessage]
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


def _sort(arrived: Sequence[Letter]) -> tuple[list[PeerMessage], list[str]]:
    """Bring letters into the order of the steps."""
    messages: list[PeerMessage] = []
    refused: list[str] = []
    for letter in arrived:
        message = letter.message
        if isinstance(message, PeerMessage) and letter.file == letter_name(message):
            messages.append(message)
        elif isinstance(message, Failure):
            refused.append(f"{message.sender} says: {message.reason}")
        else:
            refused.append(f"{letter.file} does not hold what its name says.")
    return sorted(messages, key=_order), refused


def _order(message: PeerMessage) -> tuple[int, int, int, int, str]:
    # Lists of the missing only shrink: of one peer's the longest comes first.
    return (*_place(message), -_n_missing(message), message.sender)


def _place(message: PeerMessage) -> tuple[int, int, int]:
    return message.attempt, message.iteration, STEPS.index(step_of(message))


def _n_missing(message: Message) -> int:
    return len(message.missing.split(",")) if isinstance(message, Absence) else 0


def letter_name(message: Message) -> str:
    """Return the name of the file a message is written to: who, to whom, and which step."""
    place = "refusal"
    if isinstance(message, PeerMessage):
        attempt, iteration, step = _place(message)
        # Counted from the roster, as when there was no step before it.
        place = f"{attempt:02d}-{iteration:03d}-{max(step - 1, 0)}"
    kind = type(message).__name__.lower()
    if isinstance(message, Witness) and message.in_full:
        kind += "-in-full"
    if isinstance(message, Absence):
        kind += f"-{_n_missing(message)}"
    return f"{_plain(message.sender)}--{_plain(message.recipient)}--{place}-{kind}{SUFFIX}"


def _plain(name: str) -> str:
    return name.replace("/", ".")
