"""``consilience approve``: a second person looks at what would leave, and signs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell
from consilience.cli.shared.letters import ask
from consilience.cli.shared.options import Private, StudyFile, Yes, private_folder
from consilience.evidence.check import check_statement, read_statement
from consilience.evidence.wording import in_words
from consilience.exceptions import StudyError
from consilience.study.files import write_whole
from consilience.study.identity import Identity
from consilience.study.participant import Participant
from consilience.study.study import Study
from consilience.study.succession import ENDING as SUCCESSION_ENDING
from consilience.study.succession import succession_in_words

__all__ = ["approve"]


def approve(
    path: StudyFile,
    statements: Annotated[
        list[Path],
        typer.Argument(exists=True, dir_okay=False, help="What would leave, *.statement.json."),
    ],
    name: Annotated[str, typer.Option("--as", help="Your name, as the study's approvers have it.")],
    private: Private = None,
    yes: Yes = False,
) -> None:
    """Look at what an institution wants to send, and sign that it may leave.

    Where a study says `approvals = 1`, `contribute` keeps the sealed file at home and writes its
    statement only. You are one of the approvers the study names for that party; you see what is in
    the file, what an audit found and what left before, and add your signature to the statement.
    Run again at the party, `contribute` then lets the very file leave that you signed for.

    A statement that a role has new keys, ROLE.succession.json, is signed in the same way by the
    other roles, each with its own name of the study: they vouch for keys whose old ones are lost.

    Make your keys with `consilience keygen --name NAME --approves ROLE`.

    Example: `consilience approve study.toml hospital-a.clinical.contribution.statement.json
    --as novak`
    """
    study = Study.load(path)
    folder = private_folder(path, name, private)
    for file in statements:
        if file.name.endswith(SUCCESSION_ENDING):
            _vouch(study, file, Participant(study, name, folder).identity, yes)
        else:
            _approve(study, file, folder.read_identity(name), yes)


def _approve(study: Study, file: Path, identity: Identity, yes: bool) -> None:
    """Sign that what a statement is about may leave."""
    name = identity.name
    checked = check_statement(read_statement(file), study, file.name)
    keys = study.approvers_of(checked.sender).get(name)
    if keys is None:
        raise StudyError(
            f"the study does not name {name!r} among the approvers of {checked.sender!r}: "
            f"{sorted(study.approvers_of(checked.sender))}."
        )
    if keys != identity.public:
        raise StudyError(f"the study has other public keys of {name!r} than your folder.")
    tell(in_words(checked.statement))
    ask(f"Approve that this leaves {checked.sender}?", yes)
    envelope = checked.envelope.signed(identity)
    with write_whole(file) as stream:
        stream.write(f"{envelope.to_text()}\n".encode())
    after = check_statement(envelope, study, file.name)
    rest = f"; it lacks {after.waits_for}" if after.n_missing else ""
    tell(f"signed {file}{rest}. Hand it back to {checked.sender}.")


def _vouch(study: Study, file: Path, identity: Identity, yes: bool) -> None:
    """Sign that a role really has other keys now."""
    envelope = read_statement(file)
    role, *_ = study.heirs.read(envelope)
    tell(succession_in_words(envelope.statement))
    ask(f"Did {role} confirm the new digits to you?", yes)
    envelope = envelope.signed(identity)
    with write_whole(file) as stream:
        stream.write(f"{envelope.to_text()}\n".encode())
    missing = study.heirs.lacking(envelope)
    rest = f"{missing} more have to" if missing else "nobody else has to"
    tell(f"signed {file}; {rest} vouch for it before `consilience collect` takes it.")
