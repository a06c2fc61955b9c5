"""``consilience label``: verify the answer and give your own rows their clusters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.console import errors, output, plain
from consilience.cli.options import (
    Data,
    IdColumn,
    Private,
    Role,
    StudyFile,
    private_folder,
    read_identity,
)
from consilience.collaboration.participation import (
    check_reduction,
    label_new_rows,
    label_rows,
    read_rows,
)
from consilience.collaboration.reduction import AffineReduction
from consilience.exceptions import BundleError, StudyError
from consilience.messages import Answer
from consilience.study.files import write_whole
from consilience.study.study import ANALYST, Study
from consilience.study.tables import write_table
from consilience.transports.bundle import read_bundle

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
) -> None:
    """Write the cluster of each of your rows beside its id.

    The answer is verified first: signed by the analyst, of this study, for you. A row that was left
    out of the study has an empty cluster.

    Example: `consilience label study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id answers/hospital-a.clinical.answer --out labels.csv`
    """
    terms = Study.load(study)
    folder = private_folder(study, role, private)
    for source in (study, answer, data, new_data):
        if source is not None and out.exists() and out.samefile(source):
            raise StudyError(f"--out is {out}, which was also given to read. Choose another name.")
    identity = read_identity(terms, folder, role)
    message = read_bundle(answer, study=terms, identity=identity)
    if not isinstance(message, Answer):
        raise BundleError(f"{answer.name} holds a {type(message).__name__}, no answer.")
    if message.sender != ANALYST:
        raise BundleError(f"{answer.name} comes from {message.sender!r}, not from the analyst.")
    row_key = folder.read_key("row")
    rows = read_rows(terms, role, data, id_column, row_key)
    table = label_rows(rows, message)
    if new_data is not None:
        kept = folder.read_state("reduction", terms.digest)
        reduction = AffineReduction(kept["mean"], kept["components"])
        check_reduction(terms, role, rows, message, reduction)
        rows = read_rows(terms, role, new_data, id_column, row_key)
        table = label_new_rows(rows, message, reduction)
    with write_whole(out) as stream:
        stream.write(write_table(table, out))
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
