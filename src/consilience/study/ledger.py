"""The ledger of a party: one line for everything that left, in its private folder.

JSON lines, appended and never rewritten. A line is on disk before the file it speaks of appears:
the ledger may name something that was not sent after all, never the other way round.

Beside it stands ``ledger.head``: how long the ledger was after its last line, and the SHA-256 of
it. A ledger that is missing, shorter or another than it was is refused, since what it no longer
says would be spent once more. A line that a power cut left unfinished is no such case: whoever
wrote it did not go on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from consilience.access import check_private
from consilience.arrays import read_json
from consilience.exceptions import ArraysError, StudyError
from consilience.study.files import append_line, write_whole
from consilience.study.locks import locked

__all__ = ["Ledger"]

MODE = 0o600


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
        self.add_all(what, [details])

    def add_all(self, what: str, several: Sequence[Mapping[str, Any]]) -> None:
        """Append one entry for each of several, all or none of them, and see them to disk."""
        if not several:
            return
        about = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "what": what}
        lines = "\n".join(json.dumps({**about, **details}) for details in several)
        with locked(self.path.with_suffix(".lock")):
            self._read()
            append_line(self.path, lines, MODE)
            written = self.path.read_bytes()
            with write_whole(self._head, MODE) as head:
                head.write(f"{len(written)} {hashlib.sha256(written).hexdigest()}\n".encode())

    def contributions(self, study: str, what: str = "contribution") -> list[str]:
        """Return the digests of the contributions to a study, the oldest first."""
        sent = (e for e in self.entries() if e["what"] == what)
        return [str(e.get("digest")) for e in sent if e.get("study") == study]

    def sent(self, study: str) -> list[str]:
        """Return the digests of everything that left in a study, the oldest first."""
        found = (
            str(e["digest"]) for e in self.entries() if "digest" in e and e.get("study") == study
        )
        return list(dict.fromkeys(found))

    def entries(self) -> list[dict[str, Any]]:
        """Return all entries, the oldest first."""
        entries = []
        for number, line in enumerate(self._read().split(b"\n")[:-1], 1):
            try:
                entry = read_json(line)
            except ArraysError:
                entry = {}
            if not (isinstance(entry.get("what"), str) and isinstance(entry.get("when"), str)):
                raise StudyError(
                    f"line {number} of {self.path} is damaged; the ledger is only ever appended "
                    f"to. Restore it from a copy."
                )
            entries.append(entry)
        return entries

    @property
    def _head(self) -> Path:
        return self.path.with_suffix(".head")

    def _read(self) -> bytes:
        """Return the ledger, which must begin with all that was ever written to it."""
        # The head first: a line that is added meanwhile makes the ledger longer, never too short.
        head = self._head.read_bytes().split() if self._head.exists() else [b"0", b""]
        data = b""
        if self.path.exists():
            check_private(self.path)
            data = self.path.read_bytes()
        try:
            known, digest = int(head[0]), head[1].decode()
        except (IndexError, ValueError):
            raise StudyError(f"{self._head} is damaged. Restore it from a copy.") from None
        if known and (len(data) < known or hashlib.sha256(data[:known]).hexdigest() != digest):
            found = "is missing" if not data else "is shorter, or another, than it was"
            raise StudyError(
                f"{self.path} {found}: without all of its lines nobody knows what has left and "
                f"what was spent. Restore it from a copy."
            )
        return data
