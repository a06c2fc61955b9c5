"""``consilience init``: draft a study and its secret keys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
import typer

from consilience.cli.shared.console import tell, tell_next, warn
from consilience.cli.shared.example_tables import example_sources
from consilience.cli.shared.options import file_name
from consilience.cli.shared.table_options import (
    Credentials,
    Decimal,
    Encoding,
    IdColumn,
    Ignore,
    Separator,
    as_dialect,
)
from consilience.exceptions import StudyError
from consilience.holdings import Place
from consilience.sources.delimited import Found
from consilience.sources.source import Source
from consilience.study.checking import check_found
from consilience.study.draft import draft_study, usual_kind
from consilience.study.examples import read_example
from consilience.study.files import write_whole
from consilience.study.first_look import questions_about
from consilience.study.handout import hand_out_keys
from consilience.study.locks import locked, study_lock
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

__all__ = ["init"]

WHY = {
    "summaries": "It is a study of summaries, since all institutions hold the same columns: no row "
    "needs to leave. For a study of reduced rows say --for clusters, or classes with a --target.",
    "clusters": "It is a study of clusters: reduced rows leave, and the audit says what they tell. "
    "Where all institutions hold the same columns, --for summaries lets no row leave.",
}
"""What is drafted where nobody names a kind, and how to have another."""


def init(
    rows: Annotated[str, typer.Option(help="Row institutions, such as hospital-a,hospital-b.")],
    columns: Annotated[str, typer.Option(help="Column groups, such as clinical,lifestyle.")],
    from_csv: Annotated[
        str,
        typer.Option(
            "--from",
            "--from-csv",
            metavar="TABLES",
            help="An example table per column group, CSV, Parquet, Excel or a database: "
            "clinical=a.csv,lifestyle=b.parquet.",
        ),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="KIND",
            help="clusters or classes by one round of files, groups of institutions by label "
            "counts alone, peers without an analyst, a stream without an end, or private "
            "summaries of rows. Not said, it is summaries where all institutions hold the same "
            "columns, and clusters where columns are split.",
        ),
    ] = None,
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
        str | None,
        typer.Option(help="For classes, groups and summaries: the column of the classes."),
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
    with_keys: Annotated[
        bool,
        typer.Option(
            "--with-keys",
            help="Also draw the row and column keys of all parties; whoever runs this sees them.",
        ),
    ] = False,
    query: Annotated[
        str | None,
        typer.Option(
            metavar="FILES", help="Of databases: a file with the query, clinical=patients.sql."
        ),
    ] = None,
    credentials: Credentials = None,
    sheet: Annotated[
        str | None,
        typer.Option(
            metavar="SHEETS", help="Of Excel files: the sheet, if not the first, clinical=March."
        ),
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write it all.")] = Path("."),
) -> None:
    """Draft study.toml, the public terms of a study, from example tables.

    Where all institutions hold the same columns, no row needs to leave: a study of summaries is
    drafted then, with what it promises. Where columns are split, it is a study of clusters.

    The example tables are checked against the draft, as `consilience check` does it for the tables
    of the others. Read the draft, and correct bounds and categories to what is public. Then every
    role makes an identity (`consilience keygen`), `consilience collect` puts the public keys into
    the study, and everyone gets the file. The secret keys that parties share are made by a party of
    each circle when it contributes, or by `consilience share`, and reach the others sealed.

    With --with-keys they are all drawn here, a folder per party under private/: run it at one of
    the parties then, never at the analyst. Stopped half way, run it again: it goes on with the keys
    it has drawn. Run again after that, with the same tables, it changes nothing.

    Example: `consilience init --rows hospital-a,hospital-b --columns clinical,lifestyle
    --from clinical=a_clinical.csv,lifestyle=a_lifestyle.csv --id patient_id`
    """
    path = out / "study.toml"
    groups = _split(columns)
    dialect = as_dialect(separator, decimal, encoding)
    alike = Source(Path(), id_column, dialect, credentials=credentials)
    sources = example_sources(groups, from_csv, query, sheet, alike)
    texts = [] if target is None else [target]
    # A column to be ignored need not be in every one of them.
    tables = {
        group: read_example(source, texts).drop(columns=ignore or [], errors="ignore")
        for group, source in sources.items()
    }
    number = int(clusters) if clusters and clusters.isdecimal() else clusters
    said = {"clusters": number, "target": target, "explain": explain, "public": public}
    options = {option: value for option, value in said.items() if value is not None}
    if paper:
        options["paper"] = True
    usual = usual_kind(len(tables), options)
    text = draft_study(kind or usual, name, _split(rows), tables, id_column, **options)
    study = Study.from_text(text, "the draft")
    if with_keys and not path.exists():
        _refuse_keys(study, path)  # before anything is written, be it a lock
    with locked(study_lock(path)):
        parties = _write_study(study, text, path, public, with_keys=with_keys)
    tell(f"wrote {path}" + (f" and the keys of {parties} parties in private/" if parties else ""))
    if kind is None:
        tell(WHY[usual])
    if study.method.promise:
        tell(f"For the record of processing activities: {study.method.promise}")
    warn(
        "Bounds, centres, spreads and categories were read from your tables: bounds rounded "
        "outward, centres and spreads to one or two figures. Replace them by what is publicly "
        "known before you show the study to anyone."
    )
    for question in questions_about(tables, study.schemas):
        warn(question)
    _check(study, tables, id_column)
    tell_next(
        f"every other party runs consilience check {path} --as ROLE --data TABLE; when all pass, "
        f"every role runs consilience keygen --name ROLE, and who keeps the study file consilience "
        f"collect {path} *.public.toml"
    )


def _check(study: Study, tables: Mapping[str, pd.DataFrame], id_column: str) -> None:
    """Say of each example table whether it fits the draft, as `check` does."""
    for group, table in tables.items():
        party = next(name for name in study.grid.parties if Place.of(name).column == group)
        checked = check_found(study, party, Found(table.copy(deep=False), ""), id_column)
        refused = [fault for fault in checked.faults if fault.refused]
        for fault in refused:
            warn(f"{group}: {fault}" + (f" Or agree on {fault.terms}." if fault.terms else ""))
        said = f"{len(refused)} things in it are refused" if refused else "it fits the draft"
        tell(f"checked the example of {group}, {len(table)} rows: {said}")


def _write_study(
    study: Study, text: str, path: Path, public: Path | None, *, with_keys: bool
) -> int:
    """Write keys and draft so that whoever is stopped half way can go on; return who has keys.

    The draft stands aside while keys are written: keys beside it belong to it, and are kept.
    """
    if not path.exists():
        if with_keys:
            _refuse_keys(study, path)
            _write(_draft(path), text.encode())
            _write_keys(study, path.parent / "private")
        if public is not None and not (path.parent / public.name).exists():
            _write(path.parent / public.name, public.read_bytes())
        _write(path, text.encode())
    elif path.read_text(encoding="utf-8") != text:
        raise StudyError(f"{path} exists; a study is never overwritten. Choose another --out.")
    _draft(path).unlink(missing_ok=True)
    if not with_keys:
        return 0
    return sum(bool(study.keys_of(p)) for p in study.grid.parties)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.draft")


def _folders(study: Study, private: Path) -> dict[str, PrivateFolder]:
    return {party: PrivateFolder(private / file_name(party)) for party in study.grid.parties}


def _refuse_keys(study: Study, path: Path) -> None:
    """Refuse if keys are there that no draft beside them explains."""
    try:
        for party, folder in _folders(study, path.parent / "private").items():
            kinds = study.keys_of(party)
            folder.refuse_to_replace(*(f"{kind}.key" for kind in kinds))
    except StudyError:
        # Looked for last: another run may have written them just now, and its study after them.
        if not (_draft(path).exists() or path.exists()):
            raise


def _write_keys(study: Study, private: Path) -> None:
    """Write the secrets that parties need and lack."""
    folders, known = _folders(study, private), {}
    for party, folder in folders.items():
        for kind, circle in study.keys_of(party).items():
            if (folder.path / f"{kind}.key").exists():
                known[circle] = folder.read_key(kind)
    for party, keys in hand_out_keys(study, known).items():
        for kind, key in keys.items():
            if not (folders[party].path / f"{kind}.key").exists():
                folders[party].write_key(kind, key)


def _write(path: Path, data: bytes) -> None:
    with write_whole(path) as stream:
        stream.write(data)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
