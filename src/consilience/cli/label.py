"""``consilience label``: verify the answer and give your own rows their clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.answers import party_report, read_answer, read_reduction
from consilience.cli.console import errors, output, plain
from consilience.cli.groups import write_groups
from consilience.cli.options import (
    Data,
    IdColumn,
    Private,
    Report,
    Role,
    Splits,
    StudyFile,
    check_target,
    column_keys,
    private_folder,
    public_rows,
)
from consilience.cli.predictions import write_predictions
from consilience.collaboration.learning.surrogate import MAX_SPLITS
from consilience.collaboration.participation import label_new_rows, label_rows, read_rows
from consilience.exceptions import StudyError
from consilience.messages import Grouping, Prediction
from consilience.report import write_page
from consilience.study.files import write_whole
from consilience.study.study import Study
from consilience.study.tables import write_table

__all__ = ["label"]


def label(
    study: StudyFile,
    answer: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Your answer.")],
    role: Role,
    data: Data,
    id_column: IdColumn,
    private: Private = None,
    new_data: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Label these rows, which were not in the study, where the method allows it.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(dir_okay=False, help="CSV or Parquet.")] = Path("labels.csv"),
    report: Report = None,
    splits: Splits = MAX_SPLITS,
) -> None:
    """Write the cluster, or the predicted class, of each of your rows beside its id.

    The answer is verified first: signed by the analyst, of this study, for you, to what you sent. A
    row that was left out of the study has an empty cluster. In a study that explains, your readable
    model is written beside the labels, as text and as a picture. Where institutions were grouped by
    label counts alone, the groups are written, and beside them the study of your group.

    With --new-data, rows are labelled by the model your answer carries, if the study says so, or by
    your readable model.

    Example: `consilience label study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id answers/hospital-a.clinical.answer --out labels.csv`
    """
    terms = Study.load(study)
    folder = private_folder(study, role, private)
    check_target("--out", out, study, answer, data, new_data)
    check_target("--report", report, study, answer, data, new_data, out)
    message = read_answer(answer, terms, role, folder)
    if isinstance(message, Grouping):
        if new_data is not None:
            raise StudyError(
                "the study groups institutions by their label counts and learns nothing about "
                "rows (learning.labels = 'distribution'): --new-data needs the study of your group."
            )
        write_groups(terms, role, message, out)
        if report is not None:
            write_page(party_report(terms, role, folder, message, data, id_column), report)
            output.print(plain(f"wrote {report}"), soft_wrap=True)
        return
    if isinstance(message, Prediction):
        rows = read_rows(terms, role, new_data or data, id_column, folder.read_key("row"))
        keys = column_keys(folder, terms, role)
        public = public_rows(study, terms, folder)
        carried = new_data is not None and message.model is not None
        write_predictions(
            *(terms, role, rows, message, keys, out),
            new=new_data is not None,
            reduction=read_reduction(folder, terms, message) if carried else None,
            public=public,
            splits=splits,
        )
        if report is not None:
            page = party_report(terms, role, folder, message, data, id_column, public, splits)
            write_page(page, report)
            output.print(plain(f"wrote {report}"), soft_wrap=True)
        return
    row_key = folder.read_key("row")
    rows = read_rows(terms, role, data, id_column, row_key)
    table = label_rows(rows, message)
    if new_data is not None:
        reduction = read_reduction(folder, terms, message)
        rows = read_rows(terms, role, new_data, id_column, row_key)
        table = label_new_rows(terms, rows, message, reduction)
    with write_whole(out) as stream:
        stream.write(write_table(table, out))
    if report is not None:
        write_page(party_report(terms, role, folder, message, data, id_column), report)
        output.print(plain(f"wrote {report}"), soft_wrap=True)
    sizes = table["cluster"].value_counts().sort_index()
    shown = ", ".join(f"cluster {k}: {n}" for k, n in sizes.items())
    output.print(plain(f"wrote {len(table)} rows to {out} ({shown})"), soft_wrap=True)
    left_out = int(table["cluster"].isna().sum())
    if left_out:
        note = (
            f"{left_out} rows have no cluster: they were left out here, or some other party of "
            f"your row does not hold them. They are the empty ones in {out}."
        )
        errors.print(plain(note, "yellow"))
