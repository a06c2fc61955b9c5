"""``consilience resend``: what was sent before, sealed to a recipient that has new keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell
from consilience.cli.shared.options import Private, Role, StudyFile, participant
from consilience.evidence.release import seal_release
from consilience.evidence.statement import Circumstances
from consilience.exceptions import BundleError
from consilience.messages import Message
from consilience.study.locks import locked
from consilience.study.participant import Participant
from consilience.study.together import replace_together
from consilience.transports.bundle import Manifest, read_bundle

__all__ = ["resend"]


def resend(
    path: StudyFile,
    bundle: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What you sent.")],
    role: Role,
    private: Private = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write the file.")] = Path(
        "resent"
    ),
) -> None:
    """Seal a file you sent before to its recipient again, who has other keys now.

    A bundle is sealed to its recipient and to its sender: you open your own copy and seal the same
    message anew. Nothing is read, reduced, audited, drawn or paid for again, and the digest of what
    is inside stays the same. Only what your ledger lists can be sent again.

    Example: `consilience resend study.toml hospital-a.clinical.contribution
    --as hospital-a/clinical`
    """
    me = participant(path, role, private)
    message, manifest = _read(me, bundle)
    ledger = me.folder.ledger
    before = ledger.entries()
    if manifest.digest not in ledger.sent(me.study.digest):
        raise BundleError(f"{bundle.name} is not in your ledger, {ledger.path}.")
    about = {"to": manifest.recipient, "study": me.study.digest, "file": bundle.name}
    ledger.add("resent", **about, again=manifest.digest)
    with locked(me.folder.path / "letters.lock"), replace_together(out) as opened:
        known = Circumstances("resent", before=before)
        seal_release(opened, bundle.name, me, message, manifest, known)
    tell(f"wrote {out / bundle.name}, sealed to the present keys of {manifest.recipient}")


def _read(me: Participant, bundle: Path) -> tuple[Message, Manifest]:
    """Open one's own copy, with the present keys or with earlier ones."""
    refusals = []
    for identity in me.folder.read_identities(me.name):
        try:
            return read_bundle(bundle, study=me.study, identity=identity, own=True)
        except BundleError as error:
            refusals.append(error)
    raise refusals[0]
