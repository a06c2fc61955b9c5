"""Bundles that wait for approval: sealed in the private folder, with their statement outside.

What leaves in the end is the very file that was approved, to the byte.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.evidence.check import Checked, check_statement, read_statement, statement_of
from consilience.evidence.release import write_statement
from consilience.evidence.statement import ENDING, WORDS_ENDING
from consilience.exceptions import BundleError
from consilience.study.participant import Participant
from consilience.study.together import replace_together

__all__ = ["Waiting", "bundles_waiting", "waiting_folder"]


def waiting_folder(me: Participant) -> Path:
    """Return where sealed bundles of a role wait."""
    return me.folder.path / "waiting"


@dataclass(frozen=True)
class Waiting:
    """A sealed bundle in a private folder, and what is known of its approval."""

    path: Path
    checked: Checked

    def entry(self) -> tuple[str, dict[str, Any]]:
        """Return what the ledger says when it leaves: what it is, and the details."""
        said = self.checked.statement["predicate"]
        content = said["content"]
        return str(said["entry"]), {
            "to": said["to"]["role"],
            "study": said["study"]["digest"],
            "file": self.path.name,
            **said["facts"],
            "bytes": content["bytes"],
            "digest": content["digest"],
            "members": {array["name"]: array["sha256"] for array in content["arrays"]},
            "approved_by": list(self.checked.approved_by),
        }

    def leave(self, out: Path) -> Path:
        """Let the file appear under its name, with its statement, and forget that it waited."""
        with replace_together(out) as opened:
            with self.path.open("rb") as sealed:
                shutil.copyfileobj(sealed, opened(self.path.name))
            write_statement(opened, self.path.name, self.checked.envelope)
        self.forget()
        return out / self.path.name

    def forget(self) -> None:
        """Remove it from the private folder."""
        for ending in ("", ENDING, WORDS_ENDING):
            with suppress(FileNotFoundError):
                self.path.with_name(self.path.name + ending).unlink()


def bundles_waiting(me: Participant, out: Path) -> tuple[list[Waiting], list[str]]:
    """Return the bundles of a role that wait, with the approvals that came back.

    Parameters
    ----------
    me : Participant
    out : Path
        Where their statements lie, signed by approvers in the meantime.

    Returns
    -------
    waiting : list of Waiting
    notes : list of str
        What was removed: bundles of other terms can never leave.
    """
    found, notes = [], []
    for path in sorted(waiting_folder(me).glob(f"*{ENDING}")):
        bundle = path.with_name(path.name.removesuffix(ENDING))
        envelope = read_statement(path)
        with suppress(OSError, BundleError):
            returned = read_statement(statement_of(out / bundle.name))
            if returned.payload == envelope.payload:
                envelope = envelope.joined(returned.signatures)
        try:
            waiting = Waiting(bundle, check_statement(envelope, me.study, path.name))
        except BundleError as error:
            for file in (bundle, path, path.with_name(bundle.name + WORDS_ENDING)):
                file.unlink(missing_ok=True)
            notes.append(f"what waited for approval was given up: {error}")
        else:
            found.append(waiting)
    return found, notes
