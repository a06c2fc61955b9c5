"""``consilience stream``: windows of rows in, nodes out; nodes in, the lasting clustering out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import Solution, by_files
from consilience.cli.shared.approval import rely_on
from consilience.cli.shared.console import output, tell, tell_next
from consilience.cli.shared.letters import (
    let_leave,
    read_letters,
    show_table,
    write_answers,
    write_outcome,
)
from consilience.cli.shared.options import (
    Accept,
    Anew,
    By,
    DryRun,
    Out,
    Private,
    Report,
    Role,
    StudyFile,
    Yes,
    check_output,
    output_file,
    output_folder,
    participant,
)
from consilience.cli.shared.sending import rehearse
from consilience.cli.shared.table_options import reads_table
from consilience.exceptions import StudyError
from consilience.report.page import write_page
from consilience.sources.source import Source
from consilience.study.participant import Participant
from consilience.study.study import ANALYST

__all__ = ["stream"]


@reads_table
def stream(
    path: StudyFile,
    role: Role,
    files: Annotated[
        list[Path] | None,
        typer.Argument(exists=True, dir_okay=False, help="Analyst: nodes. Party: its answer."),
    ] = None,
    source: Source | None = None,
    window: Annotated[
        int | None, typer.Option(min=0, help="Party: number of the window, from 0.")
    ] = None,
    withdraw: Annotated[
        list[str] | None,
        typer.Option(help="Analyst: let this party go for good, with all it sent."),
    ] = None,
    private: Private = None,
    report: Report = None,
    out: Out = Path("."),
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Analyst, or with --dry-run: print JSON.")
    ] = False,
    by: By = None,
    accept: Accept = False,
    anew: Anew = False,
) -> None:
    """Take part in a continual study: nothing ever starts again.

    A party learns a window of rows and writes the nodes that are new or have moved; run again after
    a crash, it writes the same file and counts nothing twice. --dry-run shows what would leave, and
    neither writes, notes nor spends anything. The analyst merges the nodes that
    arrived into the lasting network and writes one answer per party. A party with an answer writes
    the cluster of each row of --data.

    A party joins with its first window. The analyst names one that withdraws with --withdraw: the
    network is built again from the nodes of the others, and all of these are answered anew.

    Example: `consilience stream study.toml --as clinic/all --data week0.csv --id id --window 0`
    """
    me = participant(path, role, private)
    kind = by_files(me.study, "stream")
    table = None if source is None else source.file
    check_output("--out", out, path, table, *(files or []))
    check_output("--report", report, path, table, *(files or []), out)
    if role == ANALYST:
        arrived = read_letters(me, files or [])
        solution = kind.solve(me, arrived, withdrawn=withdraw or ())
        write_answers(me, solution, output_folder(out), report, arrived)
        _tell_solved(me, solution, out, as_json=as_json)
        return
    if withdraw:
        raise StudyError("--withdraw is the analyst's: tell the analyst that you withdraw.")
    if source is None:
        raise StudyError("no rows were given: name the table of the window with --data.")
    if files:
        outcome = kind.read(me, read_letters(me, files), source)
        write_outcome(outcome, output_file(out, "labels.csv"), report)
        tell_next("the next window: --window with the number after the last")
        return
    if window is None:
        raise StudyError("no --window was given: its number keeps rows from counting twice.")
    if dry_run:
        rehearse(me, kind, source, as_json=as_json, window=window)
        return
    for left in (released := rely_on(me, out, accept=accept, anew=anew)):
        tell(f"wrote {left}: approved")
    if released:
        return
    leaving = kind.send(me, source, window=window)
    for written in let_leave(me, leaving, output_folder(out), yes=yes, by=by, source=source):
        tell(f"wrote {written}")
        tell_next(f"carry {written.name} to the analyst, who runs this command with it")
    if report is not None and leaving.page is not None:
        write_page(leaving.page(), report)


def _tell_solved(me: Participant, solution: Solution, out: Path, *, as_json: bool) -> None:
    """Say what the analyst found, and who is answered."""
    answered = [letter.message.recipient for letter in solution.answers]
    if as_json:
        about = {"study": me.study.name, "digest": me.study.digest, "answered": answered}
        output.print_json(json.dumps(about | dict(solution.summary)), ensure_ascii=True)
        return
    show_table(solution.table)
    tell(f"wrote {len(answered)} answers in {out}")
    tell_next("carry each answer to its party, which runs this command with it")
