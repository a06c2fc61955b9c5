"""``consilience report``: one HTML page for each side, which opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.analyse import analyst_report, solve
from consilience.cli.answers import party_report, read_answer
from consilience.cli.console import output, plain
from consilience.cli.options import (
    Private,
    Role,
    Splits,
    StudyFile,
    check_target,
    private_folder,
    public_rows,
    read_identity,
)
from consilience.collaboration.learning.public_rows import PublicRows
from consilience.collaboration.learning.surrogate import MAX_SPLITS
from consilience.collaboration.wording import check_analyst
from consilience.exceptions import StudyError
from consilience.report import Page, write_page
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study

__all__ = ["report"]


def report(
    study: StudyFile,
    files: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            dir_okay=False,
            help="The analyst: all contributions. A party: its answer.",
        ),
    ],
    role: Role,
    data: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="A party's table, CSV or Parquet."),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column of a party's table with the row ids.")
    ] = None,
    private: Private = None,
    out: Annotated[Path, typer.Option(dir_okay=False, help="The page.")] = Path("report.html"),
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
    terms = Study.load(study)
    check_target("--out", out, study, data, *files)
    folder = private_folder(study, role, private)
    if role == ANALYST:
        if data is not None or id_column is not None:
            raise StudyError("--data and --id are for a party: the analyst holds no table.")
        check_analyst(terms)
        analyst, _, received = solve(terms, read_identity(terms, folder, role), files)
        page = analyst_report(terms, analyst, received)
    else:
        public = public_rows(study, terms, folder)
        page = _party(terms, role, folder, files, data, id_column, public, splits)
    write_page(page, out)
    output.print(plain(f"wrote {out}"), soft_wrap=True)


def _party(
    terms: Study,
    role: str,
    folder: PrivateFolder,
    files: list[Path],
    data: Path | None,
    id_column: str | None,
    public: PublicRows | None,
    splits: int,
) -> Page:
    if data is None or id_column is None:
        raise StudyError(
            f"the page of {role!r} is made at its table: name it with --data and --id."
        )
    if len(files) != 1:
        raise StudyError(f"a party has one answer, but {len(files)} files were named.")
    answer = read_answer(files[0], terms, role, folder)
    return party_report(terms, role, folder, answer, data, id_column, public, splits)
