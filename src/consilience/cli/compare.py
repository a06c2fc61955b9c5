"""``consilience compare``: methods side by side, on a table one may hold whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer

from consilience.cli.shared.console import busy, tell, tell_next
from consilience.cli.shared.table_options import reads_table
from consilience.comparison.compare import compare as run
from consilience.comparison.result import Comparison
from consilience.exceptions import StudyError
from consilience.sources.source import Source
from consilience.study.draft import infer_columns
from consilience.study.examples import read_example
from consilience.study.schema import Schema

__all__ = ["compare"]


@reads_table
def compare(
    source: Source,
    parties: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column that says which institution holds the row; else one."
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,NAME", help="The columns of one group; repeat it for each, or one group."
        ),
    ] = None,
    clusters: Annotated[int, typer.Option(min=1, help="How many clusters to look for.")] = 8,
    classes: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="A column of known classes, to score against."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="NAME", help="One method; repeatable. All by default."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the methods; never of noise that protects.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="A folder for the table as CSV and the picture."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
) -> None:
    """Run all methods on one table of yours, and show what each finds and gives away.

    The table is one you may hold whole, such as your own or a public one: it is dealt to
    institutions inside this process and nothing is sent. Categories and missing values are
    encoded as a drafted study would. Every method is compared with k-means on the pooled rows,
    what leaves is counted, and the same attacker reads it.

    Example: `consilience compare --data patients.csv --id patient --parties hospital --clusters 3`

    Example: `consilience compare --data patients.csv --id patient --columns age,weight
    --columns income,smoker --clusters 3 --classes diagnosis --out comparison`
    """
    texts = [name for name in (parties, classes) if name is not None]
    if source.id_column in texts:
        raise StudyError(
            f"column {source.id_column!r} holds the ids of the rows, must be another one than "
            "those of --parties and --classes. Name the column of the ids with --id."
        )
    table = read_example(source, texts)
    for name in texts:
        if name not in table:
            raise StudyError(f"the table has no column {name!r}: it has {list(table.columns)}.")
    features = table.drop(columns=texts)
    schema = Schema.model_validate({"columns": infer_columns(features, source.id_column)})
    encoded = schema.encode(features.drop(columns=source.id_column))
    lower, upper = schema.ranges
    X = pd.DataFrame(encoded.matrix / (upper - lower) * 4, columns=schema.feature_names)
    rows = table.iloc[encoded.kept]
    with busy("running every method"):
        found = run(
            X,
            None if parties is None else _present(rows[parties], parties),
            _groups(schema, columns),
            n_clusters=clusters,
            y=None if classes is None else _present(rows[classes], classes),
            methods="all" if methods is None else methods,
            scale=False,  # in units of the drafted spreads a category counts as one column
            random_state=seed,
        )
    if out is not None:
        _write(found, out)
    _print(found, as_json)


def _present(column: pd.Series, name: str) -> npt.NDArray[np.object_]:
    missing = int(column.isna().sum())
    if missing:
        raise StudyError(f"column {name!r} is empty in {missing} rows; every row needs a value.")
    return column.astype(str).to_numpy(dtype=object)


def _groups(schema: Schema, columns: Sequence[str] | None) -> list[list[str]] | None:
    """Return the encoded columns of each group that was named."""
    if not columns:
        return None
    groups = [[name.strip() for name in group.split(",") if name.strip()] for group in columns]
    encoded: dict[str, list[str]] = {
        name: Schema(columns={name: column}).feature_names
        for name, column in schema.columns.items()
    }
    named = [name for group in groups for name in group]
    wrong = [name for name in named if name not in encoded]
    rest = [name for name in encoded if name not in named]
    if wrong or rest or len(set(named)) < len(named):
        faults = {
            "names what the table has not": wrong,
            "leaves out": rest,
            "names more than once": sorted({name for name in named if named.count(name) > 1}),
        }
        said = ", ".join(f"{fault}: {names}" for fault, names in faults.items() if names)
        raise StudyError(
            f"--columns {said}; name every column once, or leave it out with --ignore. "
            f"The columns are {list(encoded)}."
        )
    return [[feature for name in group for feature in encoded[name]] for group in groups]


def _print(found: Comparison, as_json: bool) -> None:
    if as_json:
        lines = json.loads(found.table.to_json(orient="index"))
        typer.echo(json.dumps({"methods": lines, "left out": found.left_out}, indent=2))
        return
    tell(found.to_text())
    tell_next("consilience init drafts a study of the kind you chose")


def _write(found: Comparison, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    found.table.to_csv(out / "comparison.csv", index_label="method")
    found.plot().savefig(out / "comparison.png", dpi=150)
    tell(f"comparison.csv and comparison.png were written to {out}")
