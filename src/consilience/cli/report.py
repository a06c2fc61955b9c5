"""``consilience report``: one HTML page for each side, which opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import by_files
from consilience.cli.shared.console import tell, tell_next, warn
from consilience.cli.shared.letters import read_letters
from consilience.cli.shared.options import (
    MAX_SPLITS,
    Out,
    Private,
    Role,
    Splits,
    StudyFile,
    check_output,
    output_file,
    participant,
)
from consilience.cli.shared.table_options import reads_table
from consilience.exceptions import StudyError
from consilience.report.page import write_page
from consilience.sources.source import Source
from consilience.study.study import ANALYST

__all__ = ["report"]


@reads_table
def report(
    path: StudyFile,
    files: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            dir_okay=False,
            help="The analyst: all contributions. A party: its answer.",
        ),
    ],
    role: Role,
    source: Source | None = None,
    private: Private = None,
    out: Out = Path("."),
    splits: Splits = MAX_SPLITS,
) -> None:
    """Write what came out as one HTML page that loads nothing and opens offline.

    The analyst's page shows who took part, what arrived, and the clusters with how well they are
    set apart, or the model with how right it is on rows held out; it is solved again from the
    contributions, with the same result. A party's page shows what it sent, and describes each
    cluster on its own columns, or its predictions and the model it can read; it stays at the party.

    Example: `consilience report study.toml --as analyst contributions/*.contribution
    --out report.html`

    Example: `consilience report study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id answers/hospital-a.clinical.answer --out report.html`
    """
    me = participant(path, role, private)
    kind = by_files(me.study, "report")
    out = output_file(out, "report.html")
    check_output("--out", out, path, None if source is None else source.file, *files)
    if role == ANALYST:
        if source is not None:
            raise StudyError("--data and --id are for a party: the analyst holds no table.")
        solution = kind.solve(me, read_letters(me, files))
        page, notes = solution.page(), solution.notes
    else:
        if source is None:
            raise StudyError(
                f"the page of {role!r} is made at its table: name it with --data and --id."
            )
        outcome = kind.read(me, read_letters(me, files), source, splits=splits, page=True)
        page, notes = outcome.page(), outcome.notes
    for note in notes:
        warn(note)
    write_page(page, out)
    tell(f"wrote {out}")
    tell_next(f"open {out} in a browser; it loads nothing")
