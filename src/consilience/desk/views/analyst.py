"""The pages of the analyst: what has arrived, and the answer."""

from __future__ import annotations

from typing import Any

from consilience.desk.seat import REPORT, Seat
from consilience.desk.steps import sent_by
from consilience.desk.ways import way_of
from consilience.study.study import ANALYST

__all__ = ["show_answer", "show_inbox"]


def show_inbox(seat: Seat) -> dict[str, Any]:
    """Show who has sent what; verified, once it was asked for."""
    study = seat.study
    files = _arrived(seat)
    done = seat.result("status", *files)
    expected = study.method.senders_to(ANALYST, study) if study else []
    return {
        "done": done,
        "found": (done or {}).get("found"),
        "rows": [(name, sent_by(name, files)) for name in expected],
        "files": files,
        "ending": way_of(seat).sent,
    }


def show_answer(seat: Seat) -> dict[str, Any]:
    """Show each number of clusters and method that was agreed on, and what was answered."""
    files = _arrived(seat)
    explored = seat.result("explore", *files)
    answered = seat.result("analyse", *files)
    found = (explored or {}).get("found") or {}
    return {
        "explored": explored,
        "choices": found.get("explored", []),
        "usual": (found.get("method"), found.get("n_clusters")),
        "answered": answered,
        "found": (answered or {}).get("found"),
        "left": seat.left("answer"),
        "report": REPORT if (seat.path / REPORT).is_file() else "",
        "explores": hasattr(seat.study.method, "clustering") if seat.study else False,
    }


def _arrived(seat: Seat) -> list[str]:
    sent = seat.arrived(way_of(seat).sent) if seat.study else []
    return [*sent, *seat.arrived(".withdrawal")]
