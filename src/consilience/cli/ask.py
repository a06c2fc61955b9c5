"""``consilience ask``: ask the analyst about rows that were not in your contribution."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.by_files import by_files
from consilience.cli.shared.approval import rely_on
from consilience.cli.shared.console import busy, tell, tell_next
from consilience.cli.shared.letters import let_leave
from consilience.cli.shared.options import (
    Accept,
    Anew,
    Out,
    Private,
    Role,
    StudyFile,
    Yes,
    check_output,
    output_folder,
    participant,
)
from consilience.cli.shared.table_options import reads_table
from consilience.sources.source import Source

__all__ = ["ask"]


@reads_table
def ask(
    path: StudyFile,
    role: Role,
    source: Source,
    private: Private = None,
    out: Out = Path("."),
    yes: Yes = False,
    override: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Ask although the audit exceeds the study's limit; NAME decides so.",
        ),
    ] = None,
    accept: Accept = False,
    anew: Anew = False,
) -> None:
    """Ask the analyst for the cluster, or the class, of rows that came after your contribution.

    Where other parties hold columns of your rows, nobody can label new rows alone. Each party that
    holds columns of them runs this on its part; the analyst runs `consilience analyse` with the
    contributions of before and the questions, and answers both; `consilience label --data` with the
    new table then labels it. The clusters stay what they were, if the contributions are the same.

    What leaves are coordinates of the new rows, by the reduction you contributed with, and
    pseudonyms of their ids. It is shown, audited, asked about and noted as a contribution is.

    Example: `consilience ask study.toml --as hospital-a/clinical --data a_new.csv --id patient_id`
    """
    me = participant(path, role, private)
    kind: Any = by_files(me.study, "ask")
    check_output("--out", out, path, source.file)
    out = output_folder(out)
    for left in (released := rely_on(me, out, accept=accept, anew=anew)):
        tell(f"wrote {left}: approved")
    if released:
        return
    with busy("reading, reducing and auditing"):
        leaving = kind.inquire(me, source)
    for written in let_leave(me, leaving, out, yes=yes, override=override, source=source):
        tell(f"wrote {written}")
        tell_next(
            f"carry {written.name} to the analyst, who runs consilience analyse with it beside the "
            f"contributions"
        )
