"""``consilience verify``: bundle, statement and signatures, for somebody who holds no key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import output, tell
from consilience.cli.shared.options import StudyFile
from consilience.evidence.check import (
    check_bundle,
    check_statement,
    read_statement,
    statement_of,
)
from consilience.evidence.roll import check_roll
from consilience.evidence.wording import in_words
from consilience.exceptions import BundleError
from consilience.study.study import Study

__all__ = ["verify"]


def verify(
    path: StudyFile,
    bundle: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The sealed file.")],
    statement: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="Its statement, if not beside it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the statement as JSON.")] = False,
) -> None:
    """Check a bundle against its signed statement, and print what the statement says.

    Needs no key and opens no seal: the SHA-256 of the sealed file must be the one stated, the
    statement must be about this study and signed by its sender, and by as many approvers as the
    study asks for. Anything else is refused with the reason, and exit code 2. Where the list of
    the contributions that answers go back to lies beside an answer, it must be the one stated.

    The statement is an in-toto Statement in a DSSE envelope, which other tools verify as well.

    Example: `consilience verify study.toml hospital-a.clinical.contribution`
    """
    study, file = Study.load(path), statement or statement_of(bundle)
    checked = check_statement(read_statement(file), study, file.name)
    check_bundle(bundle, checked)
    check_roll(bundle, checked.statement)
    if checked.n_missing:
        raise BundleError(f"{file.name} lacks {checked.waits_for} that the study asks for.")
    if as_json:
        told = {"approved_by": list(checked.approved_by), **checked.statement}
        output.print_json(json.dumps(told), ensure_ascii=True)
        return
    tell(in_words(checked.statement))
    by = ", ".join(checked.approved_by)
    tell(f"VERIFIED: {bundle.name} is the file {checked.sender} stated and signed")
    tell(f"approved by: {by}" if by else "approved by: nobody, and the study asks for nobody")
    tell(f"study {study.name}, fingerprint {study.fingerprint}")
