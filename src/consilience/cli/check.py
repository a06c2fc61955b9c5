"""``consilience check``: everything that is wrong with a table, in one pass."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
import rich.table
import typer

from consilience.cli.shared.console import output, plain, tell, tell_next
from consilience.cli.shared.options import check_output
from consilience.cli.shared.table_options import reads_table
from consilience.exceptions import StudyError
from consilience.holdings import Place
from consilience.sources.faults import Fault
from consilience.sources.reading import write_table
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.files import write_whole
from consilience.study.first_look import FirstLook, look_at
from consilience.study.schema import Encoded
from consilience.study.study import Study

__all__ = ["check"]

EXIT_REFUSED = 1
PREVIEW_ROWS, PREVIEW_MODE = 24, 0o600


@reads_table
def check(
    source: Source,
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[STUDY]", exists=True, dir_okay=False, help="The study file, if there is one."
        ),
    ] = None,
    role: Annotated[
        str | None, typer.Option("--as", help="Who you are in the study, or will be.")
    ] = None,
    preview: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="Write the first rows as the matrix the study makes of them, for your eyes alone.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
) -> None:
    """Name everything that is wrong with a table at once, before anything is made of it.

    Needs no key and writes nothing but the --preview you ask for: run it before the study is final,
    so that its bounds, categories and rules fit every table. It shows names of columns and counts
    of rows, no value and no id. Without a study it is a first look: what each column seems to be.
    `audit` and `contribute` refuse exactly what it refuses. Exits with 1 if the table cannot take
    part.

    Example: `consilience check study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id`

    Example: `consilience check --data a_clinical.csv --id patient_id`
    """
    if path is None:
        if role is not None:
            raise StudyError(f"--as is {role!r}, and no study was given: name the file first.")
        _first_look(look_at(source), as_json)
        return
    if role is None:
        raise StudyError("--as is missing: say which party of the study the table is of.")
    study = Study.load(path)
    check_output("--preview", preview, path, source.file)
    checked = check_table(study, role, source)
    if preview is not None and checked.encoded is not None:
        _write_preview(study, role, checked.encoded, preview)
    n_rows = len(checked.ids)
    facts = {
        "read as": checked.told,
        "rows": n_rows,
        "take part": 0 if checked.encoded is None else len(checked.encoded.kept),
        "ids": checked.shape,
    }
    if as_json:
        _print_json({**facts, "passes": checked.passes}, checked.faults)
    else:
        _show(facts, checked.faults)
        tell(f"the table {'fits the study' if checked.passes else 'cannot take part as it is'}")
        tell_next(
            f"consilience audit {path} --as {role} --data ..."
            if checked.passes
            else "correct the table, or agree on other terms before the study is final"
        )
    if not checked.passes:
        raise typer.Exit(EXIT_REFUSED)


def _write_preview(study: Study, role: str, encoded: Encoded, path: Path) -> None:
    """Write the first rows of the matrix, readable by their owner alone."""
    names = study.schema_of(Place.of(role).column).feature_names
    first = pd.DataFrame(encoded.matrix[:PREVIEW_ROWS], columns=names)
    with write_whole(path, PREVIEW_MODE) as stream:
        stream.write(write_table(first, path))


def _first_look(found: FirstLook, as_json: bool) -> None:
    facts = {"read as": found.told, "rows": found.n_rows, "ids": found.shape}
    if as_json:
        columns = [vars(seen) for seen in found.columns]
        _print_json({**facts, "columns": columns}, found.faults)
        return
    _show(facts, found.faults)
    shown = rich.table.Table(title="What the columns seem to be")
    for name in ("column", "kind", "missing", "different", "look at"):
        shown.add_column(name)
    for seen in found.columns:
        cells = (seen.name, seen.kind, seen.missing or "", seen.distinct, seen.doubt)
        shown.add_row(*map(plain, cells))
    output.print(shown)
    tell_next("consilience init --from GROUP=TABLE ... drafts a study from example tables")


def _show(facts: dict[str, object], faults: Sequence[Fault]) -> None:
    for what, value in facts.items():
        tell(f"{what}: {value}")
    if not faults:
        return
    shown = rich.table.Table(title=f"{sum(fault.refused for fault in faults)} refused")
    for name in ("column", "rows", "what", "what to do", "terms that would let it pass"):
        shown.add_column(name)
    for fault in sorted(faults, key=lambda fault: not fault.refused):
        style = "red" if fault.refused else ""
        column = fault.column or "(the table)"
        cells = (column, fault.rows or "", fault.what, fault.way_out, fault.terms)
        shown.add_row(*(plain(cell, style if k == 2 else "") for k, cell in enumerate(cells)))
    output.print(shown)


def _print_json(facts: dict[str, object], faults: Sequence[Fault]) -> None:
    typer.echo(json.dumps({**facts, "faults": [vars(fault) for fault in faults]}, indent=2))
