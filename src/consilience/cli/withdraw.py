"""``consilience withdraw``: take back what you contributed, by a signed message."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import Leaving, Letter, by_files
from consilience.cli.shared.console import tell
from consilience.cli.shared.letters import let_leave
from consilience.cli.shared.options import Private, Role, StudyFile, Yes, file_name, participant
from consilience.exceptions import StudyError
from consilience.messages import Withdrawal
from consilience.study.study import ANALYST

__all__ = ["withdraw"]


def withdraw(
    path: StudyFile,
    role: Role,
    digest: Annotated[
        str | None, typer.Option(help="One contribution, by its digest in the ledger; else all.")
    ] = None,
    private: Private = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write the file.")] = Path(
        "."
    ),
    yes: Yes = False,
) -> None:
    """Write a signed message to the analyst that takes your contributions to a study back.

    `analyse` leaves out what was withdrawn, from then on also without this file, and treats you as
    missing: the study says whether it goes on without you. The same contribution sent again stays
    withdrawn; another one counts. What the analyst has seen it cannot
    forget, and labels that were given out stay with those who have them.

    Example: `consilience withdraw study.toml --as hospital-a/clinical`
    """
    me = participant(path, role, private)
    by_files(me.study, "contribute")
    sent = me.folder.ledger.contributions(me.study.digest)
    chosen = sent if digest is None else [known for known in sent if known == digest]
    if not chosen:
        what = "no contribution" if digest is None else "no contribution with this digest"
        raise StudyError(
            f"{me.folder.ledger.path} lists {what} to this study: nothing to withdraw."
        )
    message = Withdrawal(
        study=me.study.digest,
        sender=me.name,
        recipient=ANALYST,
        contributions=",".join(dict.fromkeys(chosen)),
    )
    purpose = f"withdrawal from the study {me.study.name!r}"
    letter = Letter(message, purpose, f"{file_name(me.name)}.withdrawal")
    leaving = Leaving(
        letters=[letter],
        shown=[("contributions taken back", str(len(dict.fromkeys(chosen))))],
        question="Withdraw them?",
        entry="withdrawal",
        needs_approval=False,
    )
    for written in let_leave(me, leaving, out, yes=yes):
        tell(f"wrote {written}: carry it to the analyst")
