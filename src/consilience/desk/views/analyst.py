"""The pages of the analyst: what has arrived, and the answer."""

from __future__ import annotations

from typing import Any

from consilience.desk.seat import REPORT, Seat
from consilience.study.study import ANALYST

__all__ = ["show_answer", "show_inbox"]


def show_inbox(seat: Seat) -> dict[str, Any]:
    """Show who has sent what; verified, once it was asked for."""
    study = seat.study
    files = [*seat.arrived(".contribution"), *seat.arrived(".withdrawal")]
    done = seat.result("status", *files)
    expected = study.method.senders_to(ANALYST, study) if study else []
    there = {file.rpartition("/")[2].rpartition(".")[0]: file for file in files}
    return {
        "done": done,
        "found": (done or {}).get("found"),
        "rows": [(name, there.get(name.replace("/", "."), "")) for name in expected],
        "files": files,
    }


def show_answer(seat: Seat) -> dict[str, Any]:
    """Show each number of clusters and method that was agreed on, and what was answered."""
    files = [*seat.arrived(".contribution"), *seat.arrived(".withdrawal")]
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
