"""How far a study is, as its letter box sees it: who was there, whose letters came, and when.

Everything is read from the times of files, so a server that was killed knows as much as before.
What is in a letter is no part of it; how large it is only where the study says so: a size tells
about how many rows there are.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.notice import Notice, NoticedRole, State
from consilience.carriers.parcel import EVERYONE, SLIP, folder_of

__all__ = ["Arrived", "Attendance", "Progress", "Standing", "read_progress"]

SEEN_AGAIN = 60.0
"""Seconds for which it is not noted again that a role was there."""


class Attendance:
    """Remembers when each role last asked for something, by the time of a file.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> import tempfile
    >>> attendance = Attendance(Path(tempfile.mkdtemp()) / "seen")
    >>> attendance.note("a/lab"), attendance.note("a/lab"), attendance.when("b/lab")
    (True, False, None)
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._noted = folder, dict[str, float]()

    def note(self, role: str) -> bool:
        """Note that a role is there; tell whether it is the first time ever."""
        now, path = time.time(), self._folder / folder_of(role)
        if abs(now - self._noted.get(role, 0.0)) < SEEN_AGAIN:
            return False
        self._noted[role] = now
        first = not path.exists()
        with suppress(OSError):  # a full disk is no reason to refuse a letter
            self._folder.mkdir(exist_ok=True)
            path.touch()
        return first

    def when(self, role: str) -> float | None:
        """Return when a role was last there."""
        return _time_of(self._folder / folder_of(role))


class Arrived(NamedTuple):
    """A letter that came: when, from whom, to whom; and how large it is, if that may be told."""

    when: float
    sender: str
    recipient: str
    n_bytes: int | None = None


@dataclass(frozen=True)
class Standing:
    """Where a role stands.

    Parameters
    ----------
    role : NoticedRole
    state : str
    seen : float, optional
    sent, got : mapping of str to float
        When the latest letter to, or from, each of the others came that this role has to do with.
    owes : tuple of str
        Those to whom it could have sent something, and did not.
    n_to_send : int
        To how many others it has something to send.
    """

    role: NoticedRole
    state: State
    seen: float | None
    sent: Mapping[str, float]
    got: Mapping[str, float]
    owes: tuple[str, ...]
    n_to_send: int

    def owes_since(self, begun: float | None) -> float | None:
        """Since when it could have sent what it owes, where the study began then."""
        return max(self.got.values(), default=begun) if self.role.answers else begun


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Parameters
    ----------
    begun : float, optional
        When the study was put there.
    standings : tuple of Standing
    arrived : tuple of Arrived
        The letters somebody waited for, by time.
    """

    begun: float | None
    standings: tuple[Standing, ...]
    arrived: tuple[Arrived, ...]


def read_progress(
    notice: Notice, box: Box, sizes: Mapping[str, int], attendance: Attendance
) -> Progress:
    """Find out how far a study is.

    Parameters
    ----------
    notice : Notice
    box : Box
    sizes : mapping of str to int
        Of all files in the box, by path.
    attendance : Attendance
    """
    times: dict[tuple[str, str], float] = {}
    letters: list[Arrived] = []
    told = _sizes_of_parcels(sizes) if notice.show_sizes else {}
    for path in sizes:
        parcel, _, file = path.rpartition("/")
        when = box.arrived(path) if file == SLIP else None
        if when is not None:
            sender, recipient, *_ = path.split("/")
            letters.append(Arrived(when, sender, recipient, told.get(parcel)))
            times[sender, recipient] = max(when, times.get((sender, recipient), when))
    everyone = folder_of(EVERYONE)
    begun = max((when for (_, to), when in times.items() if to == everyone), default=None)
    places = {role.name: folder_of(role.name) for role in notice.roles}
    standings = tuple(_standing(role, notice, places, times, attendance) for role in notice.roles)
    names = {folder: name for name, folder in places.items()}
    awaited = {(sender, role.name) for role in notice.roles for sender in role.waits_for}
    named = [
        Arrived(when, names.get(sender, ""), names.get(to, ""), n_bytes)
        for when, sender, to, n_bytes in letters
    ]
    arrived = sorted(letter for letter in named if (letter.sender, letter.recipient) in awaited)
    return Progress(begun, standings, tuple(arrived))


def _sizes_of_parcels(sizes: Mapping[str, int]) -> Mapping[str, int]:
    """Return how large each parcel is, its slip not counted, by its folder."""
    found: Counter[str] = Counter()
    for path, size in sizes.items():
        parcel, _, file = path.rpartition("/")
        found[parcel] += size if file != SLIP else 0
    return found


def _standing(
    role: NoticedRole,
    notice: Notice,
    places: Mapping[str, str],
    times: Mapping[tuple[str, str], float],
    attendance: Attendance,
) -> Standing:
    mine = places[role.name]
    others = [other.name for other in notice.roles if role.name in other.waits_for]
    sent = {o: t for o in others if (t := times.get((mine, places[o]))) is not None}
    got = {
        o: t
        for o in role.waits_for
        if o in places and (t := times.get((places[o], mine))) is not None
    }
    heard_all = got.keys() >= set(role.waits_for)
    owes = tuple(o for o in others if o not in sent or (role.answers and sent[o] < got.get(o, 0)))
    if role.answers and not heard_all:
        owes = ()
    # Who answers does so after the letter; peers write to each other in any order.
    answering = {other.name for other in notice.roles if other.answers}
    stale = any(got[o] < sent.get(o, 0) for o in got.keys() & answering)
    seen = attendance.when(role.name)
    state: State = "turn" if owes else "done" if heard_all and not stale else "waiting"
    if state != "done" and seen is None and not sent:
        state = "absent"
    return Standing(role, state, seen, sent, got, owes, len(others))


def _time_of(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
