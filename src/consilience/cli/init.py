"""``consilience init``: draft a study and its secret keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
import typer

from consilience.cli.shared.console import tell, warn
from consilience.cli.shared.options import file_name
from consilience.cli.shared.table_options import (
    Decimal,
    Encoding,
    IdColumn,
    Ignore,
    Separator,
    as_dialect,
)
from consilience.exceptions import StudyError
from consilience.sources.dialect import Dialect
from consilience.sources.source import Source
from consilience.study.draft import draft_study
from consilience.study.examples import read_example
from consilience.study.files import write_whole
from consilience.study.handout import hand_out_keys
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

__all__ = ["init"]


def init(
    rows: Annotated[str, typer.Option(help="Row institutions, such as hospital-a,hospital-b.")],
    columns: Annotated[str, typer.Option(help="Column groups, such as clinical,lifestyle.")],
    from_csv: Annotated[
        str,
        typer.Option(
            "--from",
            "--from-csv",
            metavar="TABLES",
            help="An example table per column group, CSV, Parquet or Excel: "
            "clinical=a.csv,lifestyle=b.parquet.",
        ),
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--for",
            metavar="KIND",
            help="clusters or classes by one round of files, groups of institutions by label "
            "counts alone, peers without an analyst, a stream without an end, or private "
            "summaries of rows.",
        ),
    ] = "clusters",
    id_column: IdColumn = "id",
    ignore: Ignore = None,
    name: Annotated[str, typer.Option(help="A name for the study.")] = "a study",
    clusters: Annotated[
        str | None,
        typer.Option(
            help="For clusters and summaries: their number, or auto, by the data; for clusters "
            "also a span such as 2-10, in which the analyst chooses."
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="For classes and groups: the column of the classes.")
    ] = None,
    explain: Annotated[
        Literal["no", "column", "all"] | None,
        typer.Option(help="For classes: the features of each party's readable model."),
    ] = None,
    public: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="For classes: rows of all columns that anyone may see, for a SMOTE anchor.",
        ),
    ] = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="For clusters and classes: reduce as the papers do.")
    ] = False,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write it all.")] = Path("."),
) -> None:
    """Draft study.toml (public) and the secret keys of every party.

    Run it at one of the parties, never at the analyst: whoever runs it sees all keys. Read the
    draft, correct bounds and categories to what is public, then hand each party the file and its
    own folder under private/.

    Example: `consilience init --rows hospital-a,hospital-b --columns clinical,lifestyle
    --from clinical=a_clinical.csv,lifestyle=a_lifestyle.csv --id patient_id`
    """
    path = out / "study.toml"
    if path.exists():
        raise StudyError(f"{path} exists; a study is never overwritten. Choose another --out.")
    examples = dict(pair.partition("=")[::2] for pair in _split(from_csv))
    if set(examples) != set(_split(columns)):
        raise StudyError(
            f"--from names {sorted(examples)}, must name one table for each of "
            f"{sorted(_split(columns))}."
        )
    texts = [] if target is None else [target]
    dialect = as_dialect(separator, decimal, encoding)
    tables = {
        column: _read_example(Path(examples[column]), id_column, dialect, ignore or [], texts)
        for column in _split(columns)
    }
    number = int(clusters) if clusters and clusters.isdecimal() else clusters
    said = {"clusters": number, "target": target, "explain": explain, "public": public}
    options = {option: value for option, value in said.items() if value is not None}
    if paper:
        options["paper"] = True
    text = draft_study(kind, name, _split(rows), tables, id_column, **options)
    keys = _write_keys(Study.from_text(text, "the draft"), out / "private")
    if public is not None and not (out / public.name).exists():
        _write(out / public.name, public.read_bytes())
    _write(path, text.encode())
    tell(f"wrote {path}" + (f" and the keys of {len(keys)} parties in private/" if keys else ""))
    warn(
        "Bounds, centres, spreads and categories were read from your tables: bounds rounded "
        "outward, centres and spreads to one or two figures. Replace them by what is publicly "
        "known before you show the study to anyone."
    )


def _read_example(
    path: Path, id_column: str, dialect: Dialect, ignore: list[str], texts: list[str]
) -> pd.DataFrame:
    """Read an example; a column to be ignored need not be in every one of them."""
    table = read_example(Source(path, id_column, dialect), texts)
    return table.drop(columns=ignore, errors="ignore")


def _write_keys(study: Study, private: Path) -> list[str]:
    """Write the secrets of every party that needs some, all of them or none; return who does."""
    keys = hand_out_keys(study)
    folders = {party: PrivateFolder(private / file_name(party)) for party in keys}
    for party, folder in folders.items():
        folder.refuse_to_replace(*(f"{kind}.key" for kind in keys[party]))
    for party, folder in folders.items():
        for kind, key in keys[party].items():
            folder.write_key(kind, key)
    return list(keys)


def _write(path: Path, data: bytes) -> None:
    with write_whole(path) as stream:
        stream.write(data)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
