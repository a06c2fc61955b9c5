"""Who stands by a statement: its sender, and those who approved that it leaves."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.evidence.statement import ENDING, RELEASE
from consilience.exceptions import BundleError, StudyError
from consilience.study.envelope import MAX_ENVELOPE_BYTES, Envelope
from consilience.study.study import Study
from consilience.study.wording import difference, in_short

__all__ = ["Checked", "check_bundle", "check_statement", "read_statement", "statement_of"]


@dataclass(frozen=True)
class Checked:
    """A statement whose signature holds.

    Parameters
    ----------
    envelope : Envelope
    statement : dict
        What it says.
    sender : str
    approved_by : tuple of str
        Approvers of the sender who signed it too.
    n_missing : int
        How many approvals the study still asks for.
    """

    envelope: Envelope
    statement: dict[str, Any]
    sender: str
    approved_by: tuple[str, ...]
    n_missing: int

    @property
    def waits_for(self) -> str:
        """What is still missing, in words; empty if nothing is."""
        if not self.n_missing:
            return ""
        return f"{self.n_missing} more approval{'s' if self.n_missing > 1 else ''}"


def statement_of(bundle: Path) -> Path:
    """Return where the statement about a bundle lies: beside it.

    Examples
    --------
    >>> statement_of(Path("out/a.lab.contribution")).name
    'a.lab.contribution.statement.json'
    """
    return bundle.with_name(bundle.name + ENDING)


def read_statement(path: Path) -> Envelope:
    """Read a statement that somebody else may have written, without trusting it yet."""
    try:
        if path.stat().st_size > 2 * MAX_ENVELOPE_BYTES:
            raise BundleError(f"{path.name} is no signed statement: it is too large for one.")
        return Envelope.from_text(path.read_bytes(), path.name)
    except FileNotFoundError:
        raise StudyError(f"{path} is missing: a statement lies beside every bundle.") from None


def check_statement(envelope: Envelope, study: Study, source: str) -> Checked:
    """See that a statement is about this study and signed by whom it names as the sender.

    Raises
    ------
    BundleError
    """
    statement = envelope.statement
    try:
        if statement["predicateType"] != RELEASE:
            raise ValueError
        said = statement["predicate"]
        terms, sender = said["study"]["terms"], str(said["from"]["role"])
        stated = str(said["study"]["digest"])
        [str(said[part]) for part in ("to", "content", "facts", "audit", "before", "when")]
        [s["digest"]["sha256"] + s["name"] for s in statement["subject"]]
    except (KeyError, TypeError, ValueError):
        raise BundleError(f"{source} is no statement about a bundle.") from None
    if stated != study.digest:
        lines = difference(study.stated, in_short(terms) if isinstance(terms, dict) else {})
        shown = "; ".join(line[:200] for line in lines[:5]) or "its terms cannot be read"
        raise BundleError(f"{source} belongs to another study: {shown}.")
    if sender not in study.keys or not envelope.is_signed_by(study.public_keys(sender)):
        raise BundleError(
            f"{source} claims to come from {sender!r}, but is not signed with that role's key."
        )
    approvers = study.approvers_of(sender)
    own = study.public_keys(sender).sign
    signed = {
        name: keys.sign
        for name, keys in approvers.items()
        if keys.sign != own and envelope.is_signed_by(keys)
    }
    # Two names with one key are one person.
    by = tuple({key: name for name, key in signed.items()}.values())
    missing = max(0, study.approvals_of(sender) - len(by))
    return Checked(envelope, statement, sender, by, missing)


def check_bundle(path: Path, checked: Checked) -> None:
    """See that a sealed file is the one a statement is about.

    Raises
    ------
    BundleError
    """
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found not in [subject["digest"]["sha256"] for subject in checked.statement["subject"]]:
        raise BundleError(
            f"{path.name} is not the file the statement is about: its SHA-256 is {found[:12]}.... "
            f"It was changed on the way, or written again."
        )
