"""The ways a study goes: in one round, among peers, or window after window.

A kind of study names the command by which a party takes part. By that command alone the desk knows
which files go where, what is waited for, and what stands beside each button.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from consilience.desk.seat import REPORT, STUDY, Seat
from consilience.desk.words import OUTCOME, place, table, who
from consilience.exceptions import StudyError
from consilience.study.study import ANALYST

__all__ = ["Way", "left_now", "way_of", "window_of"]

Words = tuple[str, ...]
ANSWERS = ("--out", ".", "--report", REPORT)
ROUNDS = ("--files", ".")


@dataclass(frozen=True)
class Way:
    """How the roles of a study take part.

    Parameters
    ----------
    entry : str
        What the ledger calls what a party sends.
    sent, answer : str
        How the files end that a party sends, and that it gets.
    left, answered, awaited, there : str
        In words: that a party has sent, that others have, that they have not, and what to do then.
    letters : str
        The files to wait for, in words.
    send_label, read_label : str
        On the buttons that send, and that read what came.
    rehearse, send, solve, read : callable
        Return the words of each command.
    remember : callable
        Returns what a desk is to remember of what it sends.
    """

    entry: str
    sent: str
    answer: str
    left: str
    answered: str
    awaited: str
    there: str
    letters: str
    send_label: str
    read_label: str
    rehearse: Callable[[Seat], Words]
    send: Callable[[Seat], Words]
    solve: Callable[[Seat], Words]
    read: Callable[[Seat], Words]
    remember: Callable[[Seat], dict[str, Any]] = lambda seat: {}


def way_of(seat: Seat) -> Way:
    """Return the way of the study that somebody sits in."""
    if seat.study is None:
        raise StudyError("there is no study here yet.")
    return WAYS[seat.study.method.verb]


def _contribute(seat: Seat) -> Words:
    return ("contribute", STUDY, *who(seat), *table(seat))


def _analyse(seat: Seat) -> Words:
    return ("analyse", STUDY, *_sent(seat, ".contribution", ".withdrawal"), *ANSWERS)


def _label(seat: Seat) -> Words:
    return ("label", STUDY, _answer(seat, ".answer"), *who(seat), *table(seat), *OUTCOME)


def _window(seat: Seat) -> Words:
    window = ("--window", str(window_of(seat)))
    return ("stream", STUDY, *who(seat), *table(seat), *window)


def _merge(seat: Seat) -> Words:
    return ("stream", STUDY, *_sent(seat, ".nodes"), "--as", ANALYST, *ANSWERS)


def _read_nodes(seat: Seat) -> Words:
    return ("stream", STUDY, _answer(seat, ".clusters"), *who(seat), *table(seat), *OUTCOME)


def _round(seat: Seat) -> Words:
    return ("peer", STUDY, *who(seat), *table(seat), *ROUNDS, *OUTCOME)


def _rounds(seat: Seat) -> Words:
    """Go from round to round where a place carries, else one round at a time."""
    if seat.memory.place:
        return ("join", place(seat), *who(seat), *table(seat))
    return _round(seat)


def _next_round(seat: Seat) -> Words:
    if not seat.left("consensus"):
        raise StudyError("you take no part yet: agree first to what would leave.")
    return (*_rounds(seat), "--yes")


def _nobody(seat: Seat) -> Words:
    raise StudyError("peers need no analyst: every one of them finds the clusters.")


WAYS: Mapping[str, Way] = {
    "contribute": Way(
        entry="contribution",
        sent=".contribution",
        answer=".answer",
        left="Your contribution left",
        answered="The analyst answered",
        awaited="Waits for the answer",
        there="The answer is there: label your rows",
        letters="When the analyst sends you a file *.answer, drop it under Received",
        send_label="Seal and send it",
        read_label="Label my rows",
        rehearse=_contribute,
        send=_contribute,
        solve=_analyse,
        read=_label,
    ),
    "stream": Way(
        entry="window",
        sent=".nodes",
        answer=".clusters",
        left="This window left",
        answered="The analyst answered",
        awaited="Waits for the clusters",
        there="Clusters are there: label your rows",
        letters="When the analyst sends you a file *.clusters, drop it under Received",
        send_label="Seal and send this window",
        read_label="Label my rows",
        rehearse=_window,
        send=_window,
        solve=_merge,
        read=_read_nodes,
        remember=lambda seat: {"windows": _windows(seat)},
    ),
    "peer": Way(
        entry="consensus",
        sent=".peer",
        answer=".peer",
        left="You take part",
        answered="The other peers wrote to you",
        awaited="Waits for the other peers",
        there="Peers wrote to you: go on with the next round",
        letters="Send your files *.peer to the other peers, drop theirs under Received, and go on. "
        "It takes several rounds; a place that all peers reach carries them by itself",
        send_label="Take part",
        read_label="Go on",
        rehearse=_round,
        send=_rounds,
        solve=_nobody,
        read=_next_round,
    ),
}
"""By the command with which a party takes part."""


def left_now(seat: Seat) -> list[dict[str, Any]]:
    """Return what left of the table there is; an earlier window of a stream is none of it."""
    number = window_of(seat)
    found = seat.left(way_of(seat).entry)
    return [entry for entry in found if entry.get("window", number) == number]


def window_of(seat: Seat) -> int:
    """Return the number of the table as a window: the one it left with, or the next."""
    windows = seat.memory.windows
    # A large table is read for its digest only where there is one to compare it with.
    if windows and seat.table_digest in windows:
        return windows[seat.table_digest]
    own = [e for e in seat.entries if e.get("study") == seat.digest and "window" in e]
    return max((int(e["window"]) for e in own), default=-1) + 1


def _windows(seat: Seat) -> dict[str, int]:
    """Return which table is which window; one that was refused left its number to another."""
    number = window_of(seat)
    others = {mark: n for mark, n in seat.memory.windows.items() if n != number}
    return {**others, seat.table_digest: number} if seat.table_digest else others


def _sent(seat: Seat, *endings: str) -> list[str]:
    files = [file for ending in endings for file in seat.arrived(ending)]
    if not files:
        raise StudyError("nothing has arrived yet: put the files that parties sent you here first.")
    return files


def _answer(seat: Seat, ending: str) -> str:
    answers = seat.arrived(ending)
    if not answers:
        raise StudyError("there is no answer yet: put the file the analyst sent you here first.")
    return answers[-1]
