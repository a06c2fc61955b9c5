"""The pages of a party: its table, what would leave, the result."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from consilience.desk.actions import PREVIEW
from consilience.desk.seat import LABELS, REPORT, Seat
from consilience.desk.ways import left_now, way_of
from consilience.psi.waiting import awaited_match

__all__ = ["show_leave", "show_match", "show_result", "show_table"]

SHADES = 5
MAX_BYTES = 64 * 2**20


def show_table(seat: Seat) -> dict[str, Any]:
    """Show the table, everything that is wrong with it, and its first rows as a matrix."""
    done = seat.result("check", seat.memory.table) if seat.memory.table else None
    found = (done or {}).get("found")
    return {
        "tables": [file for file in seat.tables if not file.endswith(".sql")],
        "queries": [file for file in seat.tables if file.endswith((".sql", ".txt"))],
        "done": done,
        "found": found,
        "faults": sorted(found["faults"], key=lambda f: not f["refused"]) if found else [],
        "preview": _preview(seat.path / PREVIEW) if found and found["passes"] else None,
    }


def show_match(seat: Seat) -> dict[str, Any]:
    """Show the holders of the same rows, in the order in which ids go round, and how far it is."""
    study, role = seat.study, seat.role
    if not study or not role or not study.matches_by_psi(role):
        return {"holders": [], "awaited": "", "letters": [], "sent": [], "done": None}
    return {
        "holders": study.holders_of(role),
        "awaited": awaited_match(study, role, seat.folder),
        "letters": seat.arrived(".match"),
        "sent": seat.left("match"),
        "done": seat.result("match"),
    }


def show_leave(seat: Seat) -> dict[str, Any]:
    """Show what would leave, what others could get from it, and what other terms would give."""
    table = seat.memory.table
    rehearsed = seat.result("rehearse", table) if table else None
    leaving = (rehearsed or {}).get("found")
    audited = seat.result("audit", table) if table else None
    audit = (audited or {}).get("found") or (leaving or {}).get("audit")
    frontier = seat.result("frontier", table) if table else None
    sent = left_now(seat) if seat.study else []
    compared = seat.result("compare", table) if table else None
    return {
        "rehearsed": rehearsed,
        "leaving": leaving,
        "audited": audited,
        "audit": audit,
        "bars": [_bars(finding) for finding in audit["findings"]] if audit else [],
        "frontier_done": frontier,
        "points": (((frontier or {}).get("found")) or {}).get("points", []),
        "compared": ((compared or {}).get("found") or {}).get("methods", {}),
        "sent": sent[-1] if sent else None,
        "same_columns": seat.study is not None and len(seat.study.grid.columns) == 1,
        "way": way_of(seat) if seat.study else None,
    }


def show_result(seat: Seat) -> dict[str, Any]:
    """Show how far it is, and then the labels."""
    way = way_of(seat) if seat.study else None
    labels, report = seat.path / LABELS, seat.path / REPORT
    there = labels.is_file()
    return {
        "way": way,
        "sent": left_now(seat) if way else [],
        "answers": seat.arrived(way.answer) if way else [],
        "labels": LABELS if there else "",
        "report": REPORT if report.is_file() else "",
        "sizes": _sizes(labels) if there else None,
        "done": seat.result("label"),
    }


def _preview(path: Path) -> dict[str, Any] | None:
    """Return the first rows of the matrix, each number with its shade in its column."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            header, *rows = list(csv.reader(stream))
    except (OSError, ValueError):
        return None
    columns = [[float(cell) for cell in column] for column in zip(*rows, strict=True)]
    shades = [[_shade(value, column) for value in column] for column in columns]
    cells = [
        list(zip(row, places, strict=True))
        for row, places in zip(rows, zip(*shades, strict=True), strict=True)
    ]
    return {"header": header, "rows": cells}


def _shade(value: float, column: list[float]) -> int:
    low, high = min(column), max(column)
    return 0 if high == low else round((SHADES - 1) * (value - low) / (high - low))


def _bars(finding: dict[str, Any]) -> dict[str, Any]:
    """Return what one coalition gets as shares of all there is, with their names."""
    known = {
        "a typical column": finding.get("median_r2"),
        "the column rebuilt best": finding.get("worst_r2"),
        "rows rebuilt exactly": finding.get("exact") or finding.get("exposed"),
        "rows recognised": finding.get("top1"),
        "who took part": finding.get("advantage"),
    }
    means = {what: estimate["mean"] for what, estimate in known.items() if estimate}
    bars = [(what, min(1.0, max(0.0, mean)), mean) for what, mean in means.items()]
    return {**finding, "bars": bars, "name": finding.get("worst_feature")}


def _sizes(path: Path) -> dict[str, Any] | None:
    """Count the rows of each label, where the table is a short one of two columns."""
    if path.stat().st_size > MAX_BYTES:
        return None
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        counts = Counter(row[1] for row in rows if len(row) > 1)
    if len(header) < 2 or len(counts) > 40:
        return None
    most = max(counts.values(), default=1)
    shown = sorted(counts.items(), key=lambda item: (item[0] == "", item[0]))
    bars = [(name or "none", n, n / most) for name, n in islice(shown, 40)]
    return {"what": header[1], "bars": bars, "n_rows": sum(counts.values()), "n": len(counts)}
