"""``consilience init``: draft a study and its secret keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.console import errors, output, plain
from consilience.cli.options import file_name
from consilience.exceptions import StudyError
from consilience.study.draft import draft_study, infer_columns
from consilience.study.files import write_whole
from consilience.study.keys import new_key
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study
from consilience.study.tables import read_example

__all__ = ["init"]


def init(
    rows: Annotated[str, typer.Option(help="Row institutions, such as hospital-a,hospital-b.")],
    columns: Annotated[str, typer.Option(help="Column groups, such as clinical,lifestyle.")],
    from_csv: Annotated[
        str,
        typer.Option(help="An example table per column group: clinical=a.csv,lifestyle=b.csv."),
    ],
    id_column: Annotated[
        str, typer.Option("--id", help="The column of the row ids, which is no feature.")
    ] = "id",
    name: Annotated[str, typer.Option(help="A name for the study.")] = "a study",
    clusters: Annotated[
        str, typer.Option(help="Number of clusters, or auto to let the data decide.")
    ] = "auto",
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write it all.")] = Path("."),
) -> None:
    """Draft study.toml (public) and the secret keys of every column group and row institution.

    Run it at one of the parties, never at the analyst: whoever runs it sees all keys. Read the
    draft, correct bounds and categories to what is publicly known, then hand each party the study
    file and its own folder under private/.

    Example: `consilience init --rows hospital-a,hospital-b --columns clinical,lifestyle
    --from-csv clinical=a_clinical.csv,lifestyle=a_lifestyle.csv --id patient_id`
    """
    path = out / "study.toml"
    if path.exists():
        raise StudyError(f"{path} exists; a study is never overwritten. Choose another --out.")
    row_names, column_names = _split(rows), _split(columns)
    examples = dict(pair.partition("=")[::2] for pair in _split(from_csv))
    if set(examples) != set(column_names):
        raise StudyError(
            f"--from-csv names {sorted(examples)}, must name one table for each of "
            f"{sorted(column_names)}."
        )
    schemas = {
        column: infer_columns(read_example(Path(examples[column])), id_column)
        for column in column_names
    }
    text = draft_study(name, row_names, column_names, schemas, clusters)
    study = Study.from_text(text, "the draft")
    for party in study.grid.parties:
        PrivateFolder(out / "private" / file_name(party)).refuse_to_replace("column.key", "row.key")
    column_keys = {column: new_key() for column in column_names}
    row_keys = {row: new_key() for row in row_names}
    for party in study.grid.parties:
        row, _, column = party.partition("/")
        folder = PrivateFolder(out / "private" / file_name(party))
        folder.write_key("column", column_keys[column])
        folder.write_key("row", row_keys[row])
    with write_whole(path) as stream:
        stream.write(text.encode())
    wrote = f"wrote {path} and the keys of {len(study.grid.parties)} parties in private/"
    output.print(plain(wrote), soft_wrap=True)
    errors.print(
        "Bounds and categories were read from your tables and rounded outward. Replace them by "
        "what is publicly known before you show the study to anyone.",
        style="yellow",
        highlight=False,
    )


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
