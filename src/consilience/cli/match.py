"""``consilience match``: rows of several holders get the same names, and no key is shared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.shared.console import tell, tell_next
from consilience.cli.shared.letters import read_letters
from consilience.cli.shared.match_letters import match_ids
from consilience.cli.shared.options import (
    Accept,
    Anew,
    By,
    Out,
    Private,
    Role,
    StudyFile,
    Yes,
    check_output,
    output_folder,
    participant,
)
from consilience.cli.shared.sending import Consent
from consilience.cli.shared.table_options import reads_table
from consilience.exceptions import StudyError
from consilience.psi.waiting import awaited_match
from consilience.sources.source import Source

__all__ = ["match"]


@reads_table
def match(
    path: StudyFile,
    role: Role,
    source: Source,
    files: Annotated[
        list[Path] | None,
        typer.Argument(exists=True, dir_okay=False, help="What the holder before you wrote."),
    ] = None,
    private: Private = None,
    out: Out = Path("."),
    yes: Yes = False,
    by: By = None,
    again: Annotated[
        bool, typer.Option("--again", help="Match anew, in the place of an earlier match.")
    ] = False,
    accept: Accept = False,
    anew: Anew = False,
) -> None:
    """Match your ids with the other holders of your rows, without a key any of you could test with.

    For studies with `match = "psi"` under [ids] (extra psi). The first holder of a row in the
    study's grid begins, without FILES; each other one runs this on the file it gets, and carries
    the file that is written to the next one. Two holders need three files, n holders 2n - 1. Then
    everybody runs `consilience contribute`.

    Ids leave as points that are blinded by a secret number, drawn for this match and used once. The
    others learn how many ids you have, and neither which nor how many you have in common; the
    analyst gets nothing but the pseudonyms of your contribution. Nobody can test a list of guesses
    at home: an id is answered only if it was in the set a holder sent, whose size you are shown
    before you pass it on, and which `max_ids` limits.

    Run again on the same file it writes the same answer, whatever happened in between. Rows that
    come later need another match, which all holders begin with --again and contribute to anew.

    Example: `consilience match study.toml --as hospital-a/clinical --data a_clinical.csv
    --id patient_id`
    """
    me = participant(path, role, private)
    check_output("--out", out, path, source.file)
    if not me.study.matches_by_psi(me.name):
        raise StudyError(
            f"{me.name} has nothing to match: either nobody else holds its rows, or the study does "
            f'not say match = "psi" under [ids], and rows meet by a shared row key.'
        )
    consent = Consent(yes=yes, accept=accept, anew=anew, by=by)
    arrived = read_letters(me, files or [])
    holders = me.study.holders_of(me.name)
    after = holders[(holders.index(me.name) + 1) % len(holders)]
    for written in match_ids(me, source, arrived, output_folder(out), consent, again=again):
        tell(f"wrote {written}")
        tell_next(f"carry {written.name} to {after}, who runs consilience match with it")
    waiting = awaited_match(me.study, me.name, me.folder)
    if waiting:
        tell(f"waiting for {waiting}")
    else:
        tell_next("your rows have their names: run consilience contribute")
