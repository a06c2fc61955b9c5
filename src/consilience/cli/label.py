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
    Report,
    Role,
    StudyFile,
    check_target,
    column_keys,
    private_folder,
    public_rows,
    read_identity,
)
from consilience.cli.predictions import write_predictions
from consilience.collaboration.learning.participation import explain_answer
from consilience.collaboration.learning.public_rows import PublicRows
from consilience.collaboration.participation import (
    label_new_rows,
    label_rows,
    read_rows,
)
from consilience.collaboration.reduction import AffineReduction
from consilience.exceptions import BundleError
from consilience.messages import Answer, Prediction
from consilience.report import Page, learning_page, party_page, write_page
from consilience.study.files import write_whole
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.study.tables import read_table, write_table
from consilience.transports.bundle import read_bundle

__all__ = ["label", "party_report", "read_answer"]


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
) -> None:
    """Write the cluster, or the predicted class, of each of your rows beside its id.

    The answer is verified first: signed by the analyst, of this study, for you. A row that was left
    out of the study has an empty cluster. In a study that explains, your readable model is written
    beside the labels, as text and as a picture.

    Example: `consilience label study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id answers/hospital-a.clinical.answer --out labels.csv`
    """
    terms = Study.load(study)
    folder = private_folder(study, role, private)
    check_target("--out", out, study, answer, data, new_data)
    check_target("--report", report, study, answer, data, new_data, out)
    message = read_answer(answer, terms, role, folder)
    if isinstance(message, Prediction):
        rows = read_rows(terms, role, new_data or data, id_column, folder.read_key("row"))
        keys = column_keys(folder, terms, role)
        public = public_rows(study, terms, folder)
        carried = new_data is not None and message.model is not None
        write_predictions(
            *(terms, role, rows, message, keys, out),
            new=new_data is not None,
            reduction=_reduction(folder, terms, message) if carried else None,
            public=public,
        )
        if report is not None:
            page = party_report(terms, role, folder, message, data, id_column, public)
            write_page(page, report)
            output.print(plain(f"wrote {report}"), soft_wrap=True)
        return
    row_key = folder.read_key("row")
    rows = read_rows(terms, role, data, id_column, row_key)
    table = label_rows(rows, message)
    if new_data is not None:
        reduction = _reduction(folder, terms, message)
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


def read_answer(path: Path, terms: Study, role: str, folder: PrivateFolder) -> Answer | Prediction:
    """Read the answer to a party, and see that it is the analyst's."""
    message = read_bundle(path, study=terms, identity=read_identity(terms, folder, role))
    if not isinstance(message, Answer | Prediction):
        raise BundleError(f"{path.name} holds a {type(message).__name__}, no answer.")
    if message.sender != ANALYST:
        raise BundleError(f"{path.name} comes from {message.sender!r}, not from the analyst.")
    sent = folder.ledger.contributions(terms.digest)
    if message.contribution not in sent:
        raise BundleError(
            f"{path.name} answers a contribution to this study that is not in your ledger, "
            f"{folder.ledger.path}. Use the private folder you contributed with, or ask the "
            f"analyst what it received in your name."
        )
    if message.contribution != sent[-1]:
        note = (
            f"{path.name} answers contribution {sent.index(message.contribution) + 1} of your "
            f"{len(sent)} to this study, not the latest. Send that one to the analyst if it is the "
            f"one that counts."
        )
        errors.print(plain(note, "yellow"))
    return message


def _reduction(folder: PrivateFolder, terms: Study, answer: Answer | Prediction) -> AffineReduction:
    """Read the reduction that was kept of the contribution an answer is about."""
    kept = folder.read_state("reduction", terms.digest, answer.contribution)
    return AffineReduction(kept["mean"], kept["components"])


def party_report(
    terms: Study,
    role: str,
    folder: PrivateFolder,
    answer: Answer | Prediction,
    data: Path,
    id_column: str,
    public: PublicRows | None = None,
) -> Page:
    """Describe an answer to a party, beside its own table."""
    rows = read_rows(terms, role, data, id_column, folder.read_key("row"))
    if isinstance(answer, Prediction):
        keys = column_keys(folder, terms, role)
        explained = answer.anchor is not None
        surrogate = explain_answer(terms, role, answer, keys, public) if explained else None
        return learning_page(terms, role, rows, answer, surrogate, folder.ledger.entries())
    _, table = read_table(data, terms.schema_of(role.partition("/")[2]), id_column)
    return party_page(terms, role, rows, table, answer, folder.ledger.entries())
