"""``consilience bench``: regenerate a paper's tables."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from threadpoolctl import threadpool_limits

from consilience.cli.shared.console import errors, progress_bar

__all__ = ["bench"]


class Name(StrEnum):
    """The benchmarks, by the name a person types."""

    dc_clustering = "dc-clustering"
    smote_anchors = "smote-anchors"
    anchors = "anchors"
    attacks = "attacks"
    attack_nodes = "attack-nodes"
    fcac = "fcac"
    vertcohirf = "vertcohirf"
    dc_cfl = "dc-cfl"


def bench(
    name: Annotated[Name, typer.Argument(help="The paper whose tables to regenerate.")],
    trials: Annotated[
        int | None,
        typer.Option(min=1, help="Trials per cell; the default fits in an hour or two on 2 cores."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="CONSILIENCE_DATA",
            exists=True,
            file_okay=False,
            help="Folder with the data sets as Parquet or csv.gz files.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Where `benchmarks/` and `docs/` are.")] = Path("."),
    part: Annotated[
        str | None,
        typer.Option(help="Only one part of smote-anchors, such as table-1 or figure-3."),
    ] = None,
) -> None:
    """Regenerate the tables of a paper: published, ours and the gap for every cell.

    Writes `benchmarks/results/*.csv` and a page in `docs/`.

    Example: `consilience bench dc-clustering --trials 10 --data ~/datasets`
    """
    module = import_module(f"consilience.bench.{name.value.replace('-', '_')}")
    parts = getattr(module, "PARTS", {})
    if part is not None and part not in parts:
        known = f"must be one of {', '.join(parts)}" if parts else f"but {name} has no parts"
        raise typer.BadParameter(f"{part!r}, {known}.", param_hint="--part")
    chosen = {} if part is None else {"part": part}
    # The tables are small: threads of the linear algebra wait for each other more than they work.
    with progress_bar() as progress, threadpool_limits(1):
        for path in module.run(trials=trials, data=data, out=out, progress=progress, **chosen):
            errors.print(f"wrote {path}", highlight=False)
