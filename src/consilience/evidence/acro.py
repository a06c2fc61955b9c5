"""Evidence as results of ACRO, the output checking of UK research environments and its viewer."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from consilience.evidence.bag import write_folder
from consilience.evidence.check import Checked
from consilience.evidence.statement import ENDING, WORDS_ENDING
from consilience.evidence.wording import in_words

__all__ = ["ACRO_VERSION", "export_acro"]

ACRO_VERSION = "1.0.2"
"""The version whose ``results.json`` this is; ACRO loads no other than its own."""


def export_acro(bundle: Path, checked: Checked, folder: Path) -> None:
    """Write a bundle and its evidence as a folder of ACRO results.

    The status is ``pass`` if the audit stayed within the limit of the study and every approval is
    there, ``fail`` if it exceeded the limit, and ``review`` otherwise: a person has to look.

    Parameters
    ----------
    bundle : Path
        The sealed file, checked against its statement.
    checked : Checked
    folder : Path
        The folder to be.
    """
    files: dict[str, bytes | Path] = {
        bundle.name: bundle,
        bundle.name + ENDING: (checked.envelope.to_text() + "\n").encode(),
        bundle.name + WORDS_ENDING: in_words(checked.statement).encode(),
    }
    results = {
        "version": ACRO_VERSION,
        "results": {bundle.name: _record(bundle.name, [*files], checked)},
    }
    files["results.json"] = json.dumps(results, indent=1).encode()
    sums: dict[str, bytes | Path] = {
        f"checksums/{name}.txt": _sha256(of).encode() for name, of in files.items()
    }
    write_folder(folder, {**files, **sums})


def _record(name: str, files: list[str], checked: Checked) -> dict[str, Any]:
    said = checked.statement["predicate"]
    audit, limit = said["audit"], said["limit"]
    findings = [] if audit is None else audit["findings"]
    worst = None if audit is None else audit["reconstruction"]
    status, summary = _status(checked, worst, limit)
    approved = f"approved by {', '.join(checked.approved_by)}" if checked.approved_by else ""
    return {
        "uid": name,
        "status": status,
        "type": "custom",
        "properties": {"method": said["study"]["kind"], "study": said["study"]["digest"]},
        "files": [
            {"name": file, "sdc": {"reconstruction": worst, "limit": limit}} for file in files
        ],
        "outcome": {
            "attack": {str(k): f["attack"] for k, f in enumerate(findings)},
            "coalition": {str(k): f["coalition"] for k, f in enumerate(findings)},
            "level": {str(k): f["level"] for k, f in enumerate(findings)},
        },
        "command": f"consilience, version {said['version']}, by {said['ran_by']}",
        "summary": summary,
        "timestamp": said["when"],
        "comments": [text for text in (said["content"]["purpose"], approved) if text],
        "exception": "" if said["override"] is None else f"decided by {said['override']}",
        "fair": {},
    }


def _status(checked: Checked, worst: float | None, limit: float | None) -> tuple[str, str]:
    if worst is None or limit is None:
        return "review", "review; no limit, or no figure of an audit to compare with it"
    if worst > limit:
        return "fail", f"fail; reconstruction {worst:.2f} exceeds the limit {limit:g} of the study"
    within = f"reconstruction {worst:.2f} is within the limit {limit:g} of the study"
    if checked.n_missing:
        return "review", f"review; {within}, {checked.waits_for} missing"
    return "pass", f"pass; {within}"


def _sha256(of: bytes | Path) -> str:
    return hashlib.sha256(of if isinstance(of, bytes) else of.read_bytes()).hexdigest()
