"""The way through a study: which steps there are for a role, which is next, what it waits for."""

from __future__ import annotations

from dataclasses import dataclass

from consilience.desk.seat import LABELS, Seat
from consilience.study.study import ANALYST

__all__ = ["Step", "next_step", "steps_of"]


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
    checked = seat.result("check", seat.memory.table) if seat.memory.table else None
    if checked is None:
        return False, "Choose your table and look for what is wrong with it"
    passes = bool(checked["found"] and checked["found"].get("passes"))
    return passes, "It fits the study" if passes else "It cannot take part as it is"


def _leave(seat: Seat) -> tuple[bool, str]:
    if seat.study is not None and seat.study.method.in_rounds:
        begun = any(entry.get("study") == seat.digest for entry in seat.entries)
        return begun, "You take part" if begun else "Look at what would leave, and agree or not"
    if seat.left("contribution"):
        return True, "Your contribution left"
    return False, "Look at what would leave, and agree or not"


def _result(seat: Seat) -> tuple[bool, str]:
    labels = seat.path / LABELS
    answers = [seat.path / file for file in seat.arrived(".answer")]
    if labels.is_file() and all(a.stat().st_mtime_ns <= labels.stat().st_mtime_ns for a in answers):
        return True, "Your labels are there"
    return False, "The answer is there: label your rows" if answers else "Waits for the answer"


def _inbox(seat: Seat) -> tuple[bool, str]:
    assert seat.study is not None, "only a study has an inbox"
    expected = seat.study.method.senders_to(ANALYST, seat.study)
    there = {file.rpartition("/")[2].rpartition(".")[0] for file in seat.arrived(".contribution")}
    missing = [name for name in expected if name.replace("/", ".") not in there]
    return (
        not missing,
        f"Waits for {', '.join(missing)}" if missing else "Everybody has contributed",
    )


def _answer(seat: Seat) -> tuple[bool, str]:
    answered = bool(seat.left("answer"))
    return answered, "Everybody was answered" if answered else "Look at the clusters, and answer"
