"""``consilience analyse``: align and cluster what arrived, and answer every party."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from consilience.by_files import by_files
from consilience.cli.shared.console import busy, output, tell, tell_next, warn
from consilience.cli.shared.letters import read_letters, show_table, write_answers
from consilience.cli.shared.options import (
    Out,
    Private,
    Report,
    StudyFile,
    check_output,
    output_folder,
    participant,
)
from consilience.cli.shared.withdrawals import obey_withdrawals
from consilience.exceptions import StudyError
from consilience.study.study import ANALYST

__all__ = ["analyse"]

Contributions = Annotated[
    list[Path], typer.Argument(exists=True, dir_okay=False, help="The files that arrived.")
]


def analyse(
    path: StudyFile,
    contributions: Contributions,
    role: Annotated[str, typer.Option("--as", help="Always analyst.")] = ANALYST,
    private: Private = None,
    out: Out = Path("answers"),
    report: Report = None,
    newcomer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROW",
            help="A row institution that joins the nearest group and shapes none; repeatable.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Solve the study with the contributions that arrived, and write one answer per party.

    Says who is missing, and goes on without them only if the study allows it. Running it again,
    with one more contribution or with the same ones, replaces the answers. You need your own
    identity and none of the parties' secrets.

    Where institutions are grouped by their label mixes, one that comes later would move the groups
    of the others; named with --newcomer it takes the nearest group and leaves them as they are.

    Example: `consilience analyse study.toml --as analyst contributions/*.contribution
    --out answers/`
    """
    if role != ANALYST:
        raise StudyError(f"--as is {role!r}, must be {ANALYST!r}: only the analyst solves a study.")
    me = participant(path, role, private)
    kind = by_files(me.study, "analyse")
    check_output("--out", out, path, *contributions)
    check_output("--report", report, path, *contributions)
    arrived = read_letters(me, contributions)
    arrived, left_out = obey_withdrawals(me, arrived)
    for line in left_out:
        warn(line)
    with busy("solving"):
        solution = kind.solve(me, arrived, newcomers=newcomer or [])
    write_answers(me, solution, output_folder(out), report, arrived)
    answered = [letter.message.recipient for letter in solution.answers]
    about = {"study": me.study.name, "digest": me.study.digest, "answered": answered}
    if as_json:
        output.print_json(json.dumps(about | dict(solution.summary)), ensure_ascii=True)
        return
    show_table(solution.table)
    tell(f"wrote {len(answered)} answers in {out}")
    if report is not None:
        tell(f"wrote {report}")
    tell_next("carry each answer to its party, which runs consilience label")
