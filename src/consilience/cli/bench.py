"""``consilience bench``: regenerate a paper's tables, from a checkout of the source."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer
from threadpoolctl import threadpool_limits

from consilience.cli.shared.console import errors, progress_bar, tell
from consilience.datasets.loaders import ways_to, where
from consilience.exceptions import ConsilienceError

__all__ = ["bench"]

CHECKOUT = Path(__file__).parents[3]
"""What holds ``benchmarks/`` if this package runs from its source."""


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


MODULES = {Name.anchors: "smote_anchors.decision", Name.attack_nodes: "attacks.membership"}
"""Those that are not ``run.py`` of the folder of their name."""


def bench(
    name: Annotated[
        Name | None, typer.Argument(help="The paper whose tables to regenerate.")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Show what there is, and the data each needs.")
    ] = False,
    trials: Annotated[
        int | None,
        typer.Option(min=1, help="Trials per cell; the default fits in an hour or two on 2 cores."),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="START",
            help="Measure only the parts whose name begins so, where * stands for anything; "
            "fcac, smote-anchors, vertcohirf.",
        ),
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
) -> None:
    """Regenerate the tables of a paper: published, ours and the gap for every cell.

    Writes `benchmarks/results/*.csv` and a page in `docs/`. Needs a checkout of the source. A run
    that was stopped goes on where it was. Data sets that are missing are named, all at once, before
    anything is measured; --list shows for each benchmark where its sets come from.

    Example: `consilience bench dc-clustering --trials 10 --data ~/datasets`

    With --only the other figures stay as the results have them.

    Example: `consilience bench smote-anchors --only "Figure 3" --data ~/datasets`

    Example: `consilience bench --list`
    """
    if listed:
        _list(list(Name) if name is None else [name], data)
        return
    if name is None:
        raise ConsilienceError(f"name one of {', '.join(Name)}, or say --list.")
    module = _load(name)
    options = {} if only is None else _restricted(module, name, only)
    _refuse_missing(module, data)
    # The tables are small: threads of the linear algebra wait for each other more than they work.
    with progress_bar() as progress, threadpool_limits(1):
        for path in module.run(trials=trials, data=data, out=out, progress=progress, **options):
            errors.print(f"wrote {path}", highlight=False)


def _list(names: Sequence[Name], data: Path | None) -> None:
    """Show the benchmarks, and where the sets of each come from."""
    for name in names:
        module = _load(name)
        title = (module.__doc__ or "").partition("\n")[0].replace("]_", "]")
        tell(f"{name.value}: {title}")
        sets = [*module.NEEDS, *getattr(module, "USES", ())]
        for needed in sets:
            source = where(needed, data) or f"missing: {ways_to(needed)}"
            tell(f"  {needed:<{max(map(len, sets))}}  {source}")


def _refuse_missing(module: Any, data: Path | None) -> None:
    """Name all data sets at once that a benchmark needs and that are not there."""
    missing = [name for name in module.NEEDS if not where(name, data)]
    if missing:
        raise ConsilienceError(
            f"{len(missing)} of {len(module.NEEDS)} data sets are missing: "
            f"{'; '.join(map(ways_to, missing))}. A file holds the features and a column 'label'; "
            f"name the folder with --data or CONSILIENCE_DATA."
        )


def _restricted(module: Any, name: Name, only: str) -> dict[str, str]:
    """Return the argument that has a benchmark measure in part, or refuse one that cannot."""
    if "only" not in signature(module.run).parameters:
        raise ConsilienceError(f"{name.value} is measured as a whole: leave --only {only!r} out.")
    return {"only": only}


def _load(name: Name) -> Any:
    """Import a benchmark from the checkout this package runs from, or from this folder."""
    module = f"benchmarks.{MODULES.get(name, name.value.replace('-', '_') + '.run')}"
    file = Path(*module.split(".")).with_suffix(".py")
    roots = [str(root) for root in (CHECKOUT, Path.cwd()) if (root / file).exists()]
    if not roots:
        raise ConsilienceError(
            "the benchmarks are not part of the installed package: call this command in a checkout "
            "of the source, after python -m pip install --editable '.[dev]' there."
        )
    if roots[0] not in sys.path:
        sys.path.insert(0, roots[0])
    return import_module(module)
