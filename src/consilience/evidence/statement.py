"""The statement beside a bundle: what left the house, readable without any key, and signed.

A bundle is sealed: whoever checks what leaves cannot look into it. Its statement says what they
need to know, as an in-toto Statement whose subject is the sealed file. It holds counts, sizes,
digests, names of columns and figures of the audit; no cell value and no id.
"""

from __future__ import annotations

import getpass
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from consilience.evidence.roll import Roll
from consilience.evidence.tells import TELLS
from consilience.privacy.audits.audit import Audit
from consilience.study.envelope import STATEMENT, Envelope
from consilience.study.participant import Participant
from consilience.study.study import Study
from consilience.transports.bundle import Manifest

__all__ = ["ENDING", "RELEASE", "Circumstances", "is_evidence", "state_release"]

RELEASE = "urn:consilience:release:1"
"""The type of what a statement says of a bundle."""
ENDING, WORDS_ENDING = ".statement.json", ".statement.txt"
"""What the names of the statement, and of the same in words, add to that of the bundle."""
MAX_BEFORE = 100
TOLD = (
    "when",
    "what",
    "to",
    "study",
    "file",
    "rows",
    "dimensions",
    "reconstruction",
    "epsilon",
    "bytes",
    "digest",
    "by",
)
"""What a statement repeats of the ledger's earlier entries."""


@dataclass(frozen=True)
class Circumstances:
    """What is known about a release beside the bundle itself.

    Parameters
    ----------
    entry : str
        What the ledger calls it.
    facts : mapping
        What the ledger says of it: counts, dimensions, what noise cost.
    audit : Audit, optional
    override : str, optional
        Who decided to send beyond the limit of the study.
    before : sequence of mappings
        What the ledger said before.
    answers : Roll
        In a bundle of the analyst: which contributions it goes back to.
    """

    entry: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    audit: Audit | None = None
    override: str | None = None
    before: Sequence[Mapping[str, Any]] = ()
    answers: Roll = field(default_factory=Roll)


def state_release(
    me: Participant, manifest: Manifest, sealed: tuple[str, str], known: Circumstances
) -> Envelope:
    """State what a role lets leave, and sign it.

    Parameters
    ----------
    me : Participant
        Who sends.
    manifest : Manifest
        What the bundle says it holds.
    sealed : (str, str)
        Name and SHA-256 of the sealed file.
    known : Circumstances
    """
    name, digest = sealed
    predicate = {
        "study": _about_study(me.study),
        "from": _about_role(me.study, manifest.sender),
        "to": _about_role(me.study, manifest.recipient),
        "content": _about_content(manifest),
        "entry": known.entry,
        "facts": dict(known.facts),
        "audit": None if known.audit is None else _about_audit(known.audit),
        "limit": me.study.max_reconstruction,
        "override": known.override,
        **known.answers.told_to(manifest.recipient),
        "left_before": len(known.before),
        "before": [_repeat(entry) for entry in known.before[-MAX_BEFORE:]],
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": version("consilience"),
        "ran_by": _account(),
    }
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}}],
        "predicateType": RELEASE,
        "predicate": predicate,
    }
    return Envelope.of(statement).signed(me.identity)


def _repeat(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: entry[name] for name in TOLD if name in entry}


def is_evidence(name: str) -> bool:
    """Tell by its name whether a file is a statement, and no bundle.

    Examples
    --------
    >>> is_evidence("a.lab.contribution"), is_evidence("a.lab.contribution.statement.json")
    (False, True)
    """
    return name.endswith((ENDING, WORDS_ENDING))


def _about_study(study: Study) -> dict[str, Any]:
    return {
        "name": study.name,
        "kind": study.method.kind,
        "digest": study.digest,
        "fingerprint": study.fingerprint,
        "terms": study.stated,
    }


def _about_role(study: Study, name: str) -> dict[str, str]:
    return {"role": name, "fingerprint": study.public_keys(name).fingerprint}


def _about_content(manifest: Manifest) -> dict[str, Any]:
    tells = TELLS.get(manifest.kind, {})
    return {
        "message": manifest.kind,
        "purpose": manifest.purpose,
        "digest": manifest.digest,
        "bytes": manifest.n_bytes,
        "fields": sorted(manifest.fields),
        "arrays": [
            {
                "name": member.name,
                "shape": list(member.shape),
                "dtype": member.dtype,
                "bytes": member.n_bytes,
                "sha256": member.sha256,
                "tells": tells.get(member.name, ""),
            }
            for member in manifest.members
        ],
    }


def _about_audit(audit: Audit) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(audit.to_json())
    return {**found, "worst_line": audit.worst_line}


def _account() -> str:
    """Return the account that ran the command; some systems have none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
