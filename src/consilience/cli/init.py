"""``consilience init``: draft a study and its secret keys."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.cli.shared.console import errors, output, plain
from consilience.cli.shared.options import file_name
from consilience.exceptions import StudyError
from consilience.study.draft import draft_study, infer_columns, infer_learning
from consilience.study.files import write_whole
from consilience.study.handout import hand_out_keys
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study
from consilience.study.tables import read_example

__all__ = ["init"]


class Purpose(StrEnum):
    """What a study is about."""

    clusters = "clusters"
    classes = "classes"
    peers = "peers"
    stream = "stream"


class Explain(StrEnum):
    """In which features a party's readable model speaks."""

    no = "no"
    column = "column"
    all = "all"


def init(
    rows: Annotated[str, typer.Option(help="Row institutions, such as hospital-a,hospital-b.")],
    columns: Annotated[str, typer.Option(help="Column groups, such as clinical,lifestyle.")],
    from_csv: Annotated[
        str,
        typer.Option(help="An example table per column group: clinical=a.csv,lifestyle=b.csv."),
    ],
    purpose: Annotated[
        Purpose,
        typer.Option(
            "--for",
            help="clusters or classes by one round of files, peers without an analyst, or a "
            "stream without an end.",
        ),
    ] = Purpose.clusters,
    id_column: Annotated[
        str, typer.Option("--id", help="The column of the row ids, which is no feature.")
    ] = "id",
    name: Annotated[str, typer.Option(help="A name for the study.")] = "a study",
    clusters: Annotated[
        str, typer.Option(help="For clusters: their number, or auto to let the data decide.")
    ] = "auto",
    target: Annotated[
        str | None, typer.Option(help="For classes: the column that holds them.")
    ] = None,
    explain: Annotated[
        Explain, typer.Option(help="For classes: the features of each party's readable model.")
    ] = Explain.no,
    public: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="For classes: rows of all columns that anyone may see, for a SMOTE anchor.",
        ),
    ] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Reduce as the papers do.")] = False,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write it all.")] = Path("."),
) -> None:
    """Draft study.toml (public) and the secret keys of every party.

    Run it at one of the parties, never at the analyst: whoever runs it sees all keys. Read the
    draft, correct bounds and categories to what is public, then hand each party the file and its
    own folder under private/.

    Example: `consilience init --rows hospital-a,hospital-b --columns clinical,lifestyle
    --from-csv clinical=a_clinical.csv,lifestyle=a_lifestyle.csv --id patient_id`
    """
    path = out / "study.toml"
    if path.exists():
        raise StudyError(f"{path} exists; a study is never overwritten. Choose another --out.")
    if (purpose is Purpose.classes) != (target is not None):
        raise StudyError("--for classes and --target NAME, the column of the classes, go together.")
    if purpose is not Purpose.classes and (public or explain is not Explain.no):
        raise StudyError(f"--explain and --public are for classes, not for {purpose.value}.")
    if paper and purpose in ("peers", "stream"):
        raise StudyError(f"--paper is about reduction, and {purpose.value} reduces nothing.")
    column_names = _split(columns)
    examples = dict(pair.partition("=")[::2] for pair in _split(from_csv))
    if set(examples) != set(column_names):
        raise StudyError(
            f"--from-csv names {sorted(examples)}, must name one table for each of "
            f"{sorted(column_names)}."
        )
    texts = [] if target is None else [target]
    tables = {column: read_example(Path(examples[column]), texts) for column in column_names}
    learning: dict[str, Any] | None = None
    if target is not None:
        tables, learning = infer_learning(tables, target)
        learning["explain"] = explain.value
    text = draft_study(
        name,
        _split(rows),
        column_names,
        {column: infer_columns(table, id_column) for column, table in tables.items()},
        clusters,
        purpose=purpose.value,
        learning=learning,
        public=None if public is None else {"name": public.name, "sha256": _sha256(public)},
        paper=paper,
    )
    keys = hand_out_keys(Study.from_text(text, "the draft"))
    folders = {party: PrivateFolder(out / "private" / file_name(party)) for party in keys}
    for party, folder in folders.items():
        folder.refuse_to_replace(*(f"{kind}.key" for kind in keys[party]))
    for party, folder in folders.items():
        for kind, key in keys[party].items():
            folder.write_key(kind, key)
    if public is not None and not (out / public.name).exists():
        with write_whole(out / public.name) as stream:
            stream.write(public.read_bytes())
    with write_whole(path) as stream:
        stream.write(text.encode())
    also = f" and the keys of {len(keys)} parties in private/" if keys else ""
    output.print(plain(f"wrote {path}{also}"), soft_wrap=True)
    errors.print(
        "Bounds and categories were read from your tables and rounded outward. Replace them by "
        "what is publicly known before you show the study to anyone.",
        style="yellow",
        highlight=False,
    )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
