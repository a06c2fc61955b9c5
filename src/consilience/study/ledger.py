"""The ledger of a party: one line for everything that left, in its private folder.

JSON lines, appended and never rewritten. A line is on disk before the file it speaks of appears:
the ledger may name something that was not sent after all, never the other way round.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from consilience.exceptions import StudyError
from consilience.study.files import append_line

__all__ = ["Ledger"]


class Ledger:
    """What a party has sent, to whom, and when.

    Parameters
    ----------
    path : Path
        A file of JSON lines; it need not exist yet.

    Examples
    --------
    >>> import tempfile
    >>> ledger = Ledger(Path(tempfile.mkdtemp()) / "ledger.jsonl")
    >>> ledger.add("contribution", to="analyst", rows=120)
    >>> [(entry["what"], entry["rows"]) for entry in ledger.entries()]
    [('contribution', 120)]
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, what: str, **details: Any) -> None:
        """Append one entry and see it to disk."""
        entry = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "what": what, **details}
        append_line(self.path, json.dumps(entry, sort_keys=False))

    def contributions(self, study: str) -> list[str]:
        """Return the digests of the contributions to a study, the oldest first."""
        sent = (e for e in self.entries() if e["what"] == "contribution")
        return [str(e.get("digest")) for e in sent if e.get("study") == study]

    def entries(self) -> list[dict[str, Any]]:
        """Return all entries, the oldest first."""
        if not self.path.exists():
            return []
        entries = []
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                entries.append(dict(json.loads(line)))
            except (ValueError, TypeError):
                raise StudyError(
                    f"line {number} of {self.path} is damaged; the ledger is only ever appended "
                    f"to. Restore it from a copy."
                ) from None
        return entries
