"""``consilience ledger``: what has left this house, when, and to whom."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from consilience.cli.shared.console import output, tell
from consilience.cli.shared.options import Private, Role, StudyFile, private_folder

__all__ = ["ledger"]

HIDDEN = ("when", "what", "to", "file", "study", "members", "digest", "draw", "purpose")


def ledger(
    path: StudyFile,
    role: Role,
    private: Private = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all entries as JSON.")] = False,
) -> None:
    """Show what left, when and to whom: every entry of the ledger in your private folder.

    A line is on disk before the file it speaks of appears, and is never rewritten. With --json you
    also see the digests: of the study, of what was inside each file, and of each of its arrays.

    Example: `consilience ledger study.toml --as hospital-a/clinical`
    """
    book = private_folder(path, role, private).ledger
    entries = book.entries()
    if as_json:
        output.print_json(json.dumps(entries), ensure_ascii=True)
        return
    if not entries:
        tell(f"nothing has left: {book.path} has no entries")
        return
    for entry in entries:
        tell(_line(entry))
    tell(f"{len(entries)} entries in {book.path}")


def _line(entry: dict[str, Any]) -> str:
    """Return an entry as a line or two: when, what, to whom, in which file; and the details."""
    to = entry.get("to")
    names = ", ".join(map(str, to)) if isinstance(to, list) else to
    line = f"{entry['when']}  {entry['what']}"
    line += f" to {names}" if names else ""
    line += f", {entry['file']}" if "file" in entry else ""
    rest = _rest(entry)
    return f"{line}\n    {rest}" if rest else line


def _rest(entry: dict[str, Any]) -> str:
    known = {name: value for name, value in entry.items() if name not in HIDDEN}
    return ", ".join(f"{name} {_short(value)}" for name, value in known.items())


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
