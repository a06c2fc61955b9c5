"""Words that many commands share: who runs them, on which table, where to, with whose consent."""

from __future__ import annotations

from collections.abc import Mapping

from consilience.desk.commands import option
from consilience.desk.seat import LABELS, REPORT, Seat
from consilience.exceptions import StudyError

__all__ = ["OUTCOME", "Form", "consent", "place", "role", "table", "who"]

Form = Mapping[str, str]
OUTCOME = ("--out", LABELS, "--report", REPORT)
"""Where a result goes."""


def role(seat: Seat) -> str:
    """Return who sits there; nobody is refused."""
    if not seat.role:
        raise StudyError("say first who you are in this study.")
    return seat.role


def who(seat: Seat) -> tuple[str, ...]:
    """Return the option that says who runs a command."""
    return ("--as", role(seat))


def table(seat: Seat) -> tuple[str, ...]:
    """Return the options that say where the table of a party is."""
    known = seat.memory
    if not known.table:
        raise StudyError("no table was chosen: go to My table first.")
    words = ("--data", known.table, *option("--id", known.id_column))
    for column in known.ignore:
        words += option("--ignore", column)
    if known.query:
        words += ("--query", known.query)
    if known.credentials:
        words += ("--credentials", known.credentials)
    return words


def place(seat: Seat) -> str:
    """Return where files are carried to."""
    if not seat.memory.place:
        raise StudyError("no place was named: say where the files of this study are carried.")
    return seat.memory.place


def consent(form: Form) -> tuple[str, ...]:
    """Return who agrees; an act without a name and a tick is none."""
    name = form.get("by", "").strip()
    if not name or form.get("agreed") != "yes":
        raise StudyError("nothing left: to agree, tick the box and type your name.")
    words = ("--yes", *option("--by", name))
    if form.get("override", "").strip():
        words += option("--override", form["override"].strip())
    if form.get("accept") == "yes":
        words += ("--accept",)
    return words
