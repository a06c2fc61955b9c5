"""``consilience stream``: windows of rows in, nodes out; nodes in, the lasting clustering out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.options import Private, Report, Role, StudyFile, private_folder
from consilience.cli.stream_rounds import merge_nodes
from consilience.cli.stream_windows import label_rows, send_window
from consilience.continual.roles import stream_of
from consilience.exceptions import StudyError
from consilience.study.study import ANALYST, Study

__all__ = ["stream"]


def stream(
    study: StudyFile,
    role: Role,
    files: Annotated[
        list[Path] | None,
        typer.Argument(exists=True, dir_okay=False, help="Analyst: nodes. Party: its answer."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Party: the rows.")
    ] = None,
    id_column: Annotated[str, typer.Option("--id", help="Party: the column of the ids.")] = "id",
    window: Annotated[
        int | None, typer.Option(min=0, help="Party: number of the window, from 0.")
    ] = None,
    private: Private = None,
    report: Report = None,
    out: Annotated[Path, typer.Option(help="Folder for nodes and answers, or labels.csv.")] = Path(
        "."
    ),
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
) -> None:
    """Take part in a continual study: nothing ever starts again.

    A party learns a window of rows and writes the nodes that are new or have moved; run again after
    a crash, it writes the same file and counts nothing twice. The analyst merges the nodes that
    arrived into the lasting network and writes one answer per party. A party with an answer writes
    the cluster of each row of --data.

    Example: `consilience stream study.toml --as clinic/all --data week0.csv --id id --window 0`
    """
    terms = Study.load(study)
    stream_of(terms)
    folder = private_folder(study, role, private)
    if role == ANALYST:
        merge_nodes(terms, folder, files or [], out, report)
        return
    if data is None:
        raise StudyError("no rows were given: name the table of the window with --data.")
    if files:
        label_rows(terms, role, folder, files, data, id_column, out, report)
    elif window is None:
        raise StudyError("no --window was given: its number keeps rows from counting twice.")
    else:
        send_window(terms, role, folder, data, id_column, window, out, report, agreed=yes)
