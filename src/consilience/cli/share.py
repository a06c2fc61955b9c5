"""``consilience share``: the secrets of a circle, made by one of its parties and sealed to it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell
from consilience.cli.shared.key_letters import make_keys, send_keys, take_keys
from consilience.cli.shared.options import Private, Role, StudyFile, participant

__all__ = ["share"]


def share(
    path: StudyFile,
    role: Role,
    files: Annotated[
        list[Path] | None,
        typer.Argument(exists=True, dir_okay=False, help="What others shared with you, *.keys."),
    ] = None,
    private: Private = None,
    out: Annotated[Path, typer.Option(file_okay=False, help="Where to write the files.")] = Path(
        "."
    ),
) -> None:
    """Make the keys your parties share, and seal them to each of the others; or take theirs.

    Parties that hold the same columns share a column key, those that hold the same rows a row key.
    The first of them in the study's grid makes it; the others get it as a file sealed to them,
    which nobody else can open, the analyst least of all. Whoever holds a key can send it again.

    `contribute` and `peer` do the same when a key is missing: they make it where it is yours to
    make, and take it with --keys where it is not.

    Example: `consilience share study.toml --as hospital-a/clinical --out keys/`
    """
    me = participant(path, role, private)
    for line in (*take_keys(me, files or []), *make_keys(me)):
        tell(line)
    for written in send_keys(me, out):
        tell(f"wrote {written}")
