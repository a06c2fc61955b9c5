"""``consilience status``: who has sent what, and what cannot be used, without solving anything."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.by_files import Letter
from consilience.cli.shared.console import output, tell, warn
from consilience.cli.shared.letters import read_folder, show_table
from consilience.cli.shared.options import Private, StudyFile, participant
from consilience.cli.shared.withdrawals import obey_withdrawals
from consilience.evidence.statement import is_evidence
from consilience.report.page import Table
from consilience.study.study import ANALYST

__all__ = ["status"]


def status(
    path: StudyFile,
    inbox: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="The folder of what arrived.")
    ],
    role: Annotated[str, typer.Option("--as", help="Who you are; a party sees its answer.")] = (
        ANALYST
    ),
    private: Private = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the same as JSON.")] = False,
) -> None:
    """List who has arrived, who is missing, and which files cannot be used and why.

    Every file is unsealed and verified as `analyse` would do it, and nothing is solved or written.

    Example: `consilience status study.toml inbox/`
    """
    me = participant(path, role, private)
    read, unusable = read_folder(me, _files(inbox))
    letters, withdrawn = obey_withdrawals(me, read, note=False)
    arrived: defaultdict[str, list[Letter]] = defaultdict(list)
    for letter in letters:
        arrived[letter.message.sender].append(letter)
    expected = me.study.method.senders_to(me.name, me.study)
    missing = [name for name in expected if name not in arrived]
    if as_json:
        found = {
            "study": me.study.name,
            "digest": me.study.digest,
            "complete": not missing and not unusable,
            "arrived": {name: [_about(letter) for letter in of] for name, of in arrived.items()},
            "missing": missing,
            "unusable": unusable,
            "withdrawn": withdrawn,
        }
        output.print_json(json.dumps(found), ensure_ascii=True)
        return
    rows = [
        _row(name, arrived.get(name, [])) for name in (*expected, *(set(arrived) - {*expected}))
    ]
    show_table(Table(["who", "state", "file", "holds"], rows))
    for line in withdrawn:
        warn(line)
    for reason in unusable:
        warn(f"cannot be used: {reason}")
    n_there = len(expected) - len(missing)
    tell(f"{n_there} of {len(expected)} arrived, {len(unusable)} files cannot be used")
    tell(f"study {me.study.name}, fingerprint {me.study.fingerprint}")


def _files(inbox: Path) -> list[Path]:
    """Return the files of a folder and of those in it, but for dotted ones and statements."""
    files = (path for path in (*inbox.glob("*"), *inbox.glob("*/*")) if path.is_file())
    return sorted(p for p in files if not p.name.startswith(".") and not is_evidence(p.name))


def _row(name: str, letters: list[Letter]) -> list[str]:
    if not letters:
        return [name, "missing", "", ""]
    state = "arrived" if len(letters) == 1 else f"arrived, {len(letters)} files"
    kinds = dict.fromkeys(type(letter.message).__name__ for letter in letters)
    return [name, state, ", ".join(letter.file for letter in letters), ", ".join(kinds)]


def _about(letter: Letter) -> dict[str, Any]:
    return {
        "file": letter.file,
        "message": type(letter.message).__name__,
        "bytes": letter.stated.n_bytes,
        "digest": letter.stated.digest,
    }
