"""From a table to the files that leave, alike whether hands or a carrier take them on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from consilience.by_files import Kind, Leaving
from consilience.cli.shared.approval import rely_on
from consilience.cli.shared.console import busy, tell
from consilience.cli.shared.key_letters import need_keys
from consilience.cli.shared.letters import (
    in_numbers,
    let_leave,
    present,
    rehearsed,
    who_decides,
)
from consilience.sources.source import Source
from consilience.study.participant import Participant

__all__ = ["Consent", "rehearse", "send_table"]


@dataclass(frozen=True)
class Consent:
    """What a person said beforehand about what may leave.

    Parameters
    ----------
    yes : bool
        Do not ask.
    override : str, optional
        Who decides to send beyond the limit of the study.
    accept : bool
        Rely on this study, though another one was pinned.
    anew : bool
        Give up what waits for approval.
    by : str, optional
        Who agrees, for the ledger.
    """

    yes: bool = False
    override: str | None = None
    accept: bool = False
    anew: bool = False
    by: str | None = None


def send_table(
    me: Participant,
    kind: Kind,
    source: Source,
    out: Path,
    consent: Consent,
    keys: Sequence[Path] = (),
    **options: Any,
) -> tuple[list[Path], Leaving | None]:
    """Read a table, show what would leave, ask, and let it.

    Returns
    -------
    written : list of Path
    leaving : Leaving or None
        What was asked for; None where something was approved meanwhile, which then leaves alone.
    """
    for left in (released := rely_on(me, out, accept=consent.accept, anew=consent.anew)):
        tell(f"wrote {left}: approved")
    if released:
        return released, None
    for line in need_keys(me, keys, out):
        tell(line)
    with busy("reading, reducing and auditing"):
        leaving = kind.send(me, source, **options)
    if not leaving.letters:
        return [], leaving
    written = let_leave(
        me,
        leaving,
        out,
        yes=consent.yes,
        override=consent.override,
        by=consent.by,
        source=source,
    )
    for path in written:
        tell(f"wrote {path}")
    return written, leaving


def rehearse(
    me: Participant,
    kind: Kind,
    source: Source,
    keys: Sequence[Path] = (),
    *,
    as_json: bool = False,
    override: str | None = None,
    **options: Any,
) -> None:
    """Show what would leave, worked out on a copy of the private folder that is thrown away."""
    with rehearsed(me) as other, busy("reading, reducing and auditing"):
        need_keys(other, keys, other.folder.path)
        leaving = kind.send(other, source, **options)
        if as_json:
            typer.echo(json.dumps(in_numbers(other, leaving), indent=2))
            return
        present(other, leaving)
    who_decides(leaving, override, yes=True)
    tell("nothing was written, and nothing was spent: this was a dry run")
