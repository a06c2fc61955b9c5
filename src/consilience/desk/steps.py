"""The way through a study: which steps there are for a role, which is next, what it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.desk.seat import LABELS, Seat
from consilience.desk.ways import left_now, way_of
from consilience.psi.waiting import awaited_match
from consilience.study.study import ANALYST

__all__ = ["Step", "next_step", "sent_by", "steps_of"]


@dataclass(frozen=True)
class Step:
    """One page of a study.

    Parameters
    ----------
    page : str
    title : str
    done : bool
    said : str
        What is to be done, or waited for.
    """

    page: str
    title: str
    done: bool
    said: str


def steps_of(seat: Seat) -> list[Step]:
    """Return the steps of who sits here, in order."""
    if seat.study is None:
        return [Step("draft", "Draft", False, "Put example tables in, and say what the study asks")]
    first = [
        Step("study", "The study", bool(seat.role), _who(seat)),
        Step("keys", "Keys", *_keys(seat)),
    ]
    if seat.role == ANALYST:
        return [
            *first,
            Step("inbox", "Inbox", *_inbox(seat)),
            Step("answer", "Answer", *_answer(seat)),
        ]
    return [
        *first,
        Step("table", "My table", *_table(seat)),
        *_match(seat),
        Step("leave", "What would leave", *_leave(seat)),
        Step("result", "Result", *_result(seat)),
    ]


def next_step(seat: Seat) -> Step | None:
    """Return the first step that is not done; nothing, if all are."""
    return next((step for step in steps_of(seat) if not step.done), None)


def _who(seat: Seat) -> str:
    return f"You are {seat.role}" if seat.role else "Say who you are in it"


def _keys(seat: Seat) -> tuple[bool, str]:
    if not seat.role:
        return False, "Your keys come after you said who you are"
    if not seat.folder.has_identity:
        return False, "Make your keys"
    if seat.without_keys:
        return False, f"The study lacks the public keys of {', '.join(seat.without_keys)}"
    lacking = [circle for circle in seat.circles if not seat.folder.has_key(circle.kind)]
    if any(circle.maker == seat.role for circle in lacking):
        return False, "Make the keys you share with other parties"
    if lacking:
        makers = sorted({circle.maker for circle in lacking})
        return False, f"Waits for keys that {', '.join(makers)} makes and sends you"
    return True, "Everybody's keys are there"


def _table(seat: Seat) -> tuple[bool, str]:
    if left_now(seat):
        return True, "It took part"
    checked = seat.result("check", seat.memory.table) if seat.memory.table else None
    if checked is None:
        return False, "Choose your table and look for what is wrong with it"
    passes = bool(checked["found"] and checked["found"].get("passes"))
    return passes, "It fits the study" if passes else "It cannot take part as it is"


def _match(seat: Seat) -> list[Step]:
    """Return the step of those whose rows others hold, too, and share no key with them."""
    if not seat.study or not seat.role or not seat.study.matches_by_psi(seat.role):
        return []
    awaited = awaited_match(seat.study, seat.role, seat.folder)
    if not awaited:
        return [Step("match", "Match ids", True, "Your rows have their names")]
    came = [seat.path / file for file in seat.arrived(".match")]
    sent = [seat.path / str(entry["file"]) for entry in seat.left("match")]
    if not sent and seat.study.holders_of(seat.role)[0] == seat.role:
        return [Step("match", "Match ids", False, "Begin: send your ids, blinded")]
    new = _newest(came) > _newest(sent)
    said = "Pass on the ids that came" if new else f"Waits for {awaited}"
    return [Step("match", "Match ids", False, said)]


def _leave(seat: Seat) -> tuple[bool, str]:
    if left_now(seat):
        return True, way_of(seat).left
    return False, "Look at what would leave, and agree or not"


def _result(seat: Seat) -> tuple[bool, str]:
    way = way_of(seat)
    answers = seat.arrived(way.answer)
    labels, table = seat.path / LABELS, seat.path / seat.memory.table
    # Peers write to each other, and none of it is an answer that makes labels old.
    newer = [seat.path / file for file in answers if way.answer != way.sent]
    newer += [table] if seat.memory.table and table.is_file() else []
    if labels.is_file() and _newest(newer) <= _newest([labels]):
        return True, "Your labels are there"
    return False, way.there if answers else way.awaited


def _inbox(seat: Seat) -> tuple[bool, str]:
    assert seat.study is not None, "only a study has an inbox"
    expected = seat.study.method.senders_to(ANALYST, seat.study)
    there = seat.arrived(way_of(seat).sent)
    missing = [name for name in expected if not sent_by(name, there)]
    return (
        not missing,
        f"Waits for {', '.join(missing)}" if missing else "Everybody has contributed",
    )


def _answer(seat: Seat) -> tuple[bool, str]:
    answers = [seat.path / str(entry["file"]) for entry in seat.left("answer")]
    letters = [seat.path / file for file in seat.arrived(way_of(seat).sent)]
    answered = bool(answers) and _newest(letters) <= _newest(answers)
    return answered, "Everybody was answered" if answered else "Look at what came, and answer"


def sent_by(party: str, files: Sequence[str]) -> str:
    """Return the latest of the files that a party sent, by their names; nothing, if none is.

    Examples
    --------
    >>> sent_by("north/lab", ["arrived/by-hand/north.lab.0.nodes"])
    'arrived/by-hand/north.lab.0.nodes'
    """
    start = party.replace("/", ".") + "."
    return next((file for file in reversed(files) if Path(file).name.startswith(start)), "")


def _newest(paths: Sequence[Path]) -> int:
    return max((path.stat().st_mtime_ns for path in paths), default=0)
