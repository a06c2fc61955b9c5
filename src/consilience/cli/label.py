"""``consilience label``: verify the answer and give your own rows their clusters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import by_files
from consilience.cli.shared.console import tell_next
from consilience.cli.shared.letters import read_letters, write_outcome
from consilience.cli.shared.options import (
    MAX_SPLITS,
    Out,
    Private,
    Report,
    Role,
    Splits,
    StudyFile,
    check_output,
    output_file,
    participant,
)
from consilience.cli.shared.table_options import reads_table
from consilience.sources.parts import comes_in_parts
from consilience.sources.source import Source

__all__ = ["label"]


@reads_table
def label(
    path: StudyFile,
    answer: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Your answer.")],
    role: Role,
    source: Source,
    private: Private = None,
    new_data: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Label these rows, which were not in the study, where the method allows it.",
        ),
    ] = None,
    out: Out = Path("."),
    report: Report = None,
    splits: Splits = MAX_SPLITS,
    override: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who decides that a readable model predicts --new-data though it often disagrees "
            "with the analyst's.",
        ),
    ] = None,
) -> None:
    """Write the cluster, or the predicted class, of each of your rows beside its id.

    The answer is verified first: signed by the analyst, of this study, for you, to what you sent. A
    row that was left out of the study has an empty cluster. In a study that explains, your readable
    model is written beside the labels, as text and as a picture. Where institutions were grouped by
    label counts alone, the groups are written, and beside them the study of your group.

    With --new-data, rows are labelled by the model your answer carries, if the study says so, or by
    your readable model, if it agrees with the analyst's on at least 85 % of your own rows.

    Example: `consilience label study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id answers/hospital-a.clinical.answer --out labels.csv`
    """
    me = participant(path, role, private)
    kind = by_files(me.study, "label")
    out = output_file(out, "labels.csv")
    check_output("--out", out, path, answer, source.file, new_data)
    check_output("--report", report, path, answer, source.file, new_data, out)
    outcome = kind.read(
        me,
        read_letters(me, [answer], me.folder.path if comes_in_parts(source) else None),
        source,
        new=None if new_data is None else replace(source, data=new_data, query=None),
        splits=splits,
        page=report is not None,
        as_lines=out.suffix != ".parquet",
        override=override,
    )
    write_outcome(outcome, out, report)
    tell_next(f"consilience report {path} {answer} --as {role} --data ... describes each of them")
