"""``consilience join``: take part in a study over a place that all roles reach."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.carriers.places import open_carrier
from consilience.cli.shared.console import output, tell, warn
from consilience.cli.shared.joined import Joined
from consilience.cli.shared.options import (
    Accept,
    Anew,
    By,
    Out,
    Private,
    Role,
    Yes,
    check_output,
    file_name,
    output_folder,
    private_folder,
)
from consilience.cli.shared.post import STUDY
from consilience.cli.shared.sending import Consent
from consilience.cli.shared.table_options import reads_table
from consilience.cli.shared.taking_part import Event
from consilience.exceptions import CarrierError, StudyError
from consilience.sources.source import Source
from consilience.study.identity import Identity
from consilience.study.locks import locked
from consilience.study.study import Study

__all__ = ["COME_BACK", "join"]

COME_BACK = 75
"""Exit code: nothing is wrong, somebody else has to do something first (EX_TEMPFAIL)."""

PATIENCE = 30.0
"""Seconds for which a carrier may rest before it is looked at again."""


@partial(reads_table, folders=True)
def join(
    where: Annotated[
        str,
        typer.Argument(
            help="The place all roles reach: a folder, https://host:port (see serve), "
            "sftp://host/path, s3://bucket/path."
        ),
    ],
    role: Role,
    source: Source | None = None,
    private: Private = None,
    out: Out = Path("."),
    yes: Yes = False,
    override: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Send although the audit exceeds the study's limit; NAME decides so.",
        ),
    ] = None,
    by: By = None,
    accept: Accept = False,
    anew: Anew = False,
    again: Annotated[
        bool, typer.Option("--again", help="Contribute again, as your table is another by now.")
    ] = False,
    now: Annotated[
        bool, typer.Option("--now", help="Analyst: solve with those who are there.")
    ] = False,
    carry: Annotated[
        bool,
        typer.Option(
            "--carry",
            help="Only carry: send what left before, fetch what is there for you, and end.",
        ),
    ] = False,
    once: Annotated[
        bool,
        typer.Option(
            "--once", help="Do what can be done now, and end; exit code 75 means come back later."
        ),
    ] = False,
    ca: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Of a letter box: certificates to trust too, such as those of your house's proxy.",
        ),
    ] = None,
    link: Annotated[
        bool,
        typer.Option(
            "--link", help="Of a letter box: print a link to the study's page, signed by you; end."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one line of JSON per event; the rest to stderr.")
    ] = False,
) -> None:
    """Take part in a study over a place that all roles reach, from the study to your labels.

    Fetches the study, and shows what differs from your copy if you have one. Checks and audits your
    table, shows what would leave and asks, exactly as `consilience contribute` does; sends it,
    waits for the answer, and writes labels.csv and report.html. Only sealed files travel: whoever
    keeps the place reads nothing. Keys that parties share are sent and taken on the way.

    The analyst joins too, without a table, from the folder of study.toml: the study is put there
    for all, and solved when everybody has contributed, or with --now. Answers made by
    `consilience analyse` in the same folder are sent as well.

    With --carry nothing is made, asked or labelled: what you wrote by `consilience contribute`,
    `share` or `analyse` into --out is sent, what others sent you is put into arrived/ there, and
    it ends.

    In a stream --data is a folder: every file that comes into it is a window, and each answer
    labels all of them. Neither side ends by itself.

    Waits until it is done; with --once it ends after one look, for cron: exit code 0 if all is
    done, 75 if somebody else has to do something first, 2 if something is refused. It can be
    stopped and run again at any time: nothing is sent twice.

    Where your study.toml names the certificate of its letter box, or the address does behind a #,
    that one is trusted and no other; what is shown instead is said.

    With --link it prints an address for a browser, at which a letter box shows how far the study
    is. Whoever has the link can look, and do no more, for 12 hours: treat it as you would a key.

    All lies in --out as it does by hand: study.toml, private/ROLE, the sealed files and their
    statements, and what arrived.

    Example: `consilience join /mnt/share/study --as hospital-a/clinical --data a_clinical.csv
    --id patient_id`
    """
    home = output_folder(out)
    if link:
        tell(_link(where, _signer(where, home, role, private), ca, _certificate(where, home, ca)))
        return
    check_output("--out", home, None if source is None else source.file)
    home.mkdir(parents=True, exist_ok=True)
    with (
        locked(home / f".{file_name(role)}.join.lock"),
        _events(as_json) as event,
        open_carrier(
            where, _signer(where, home, role, private), ca, _certificate(where, home, ca)
        ) as carrier,
    ):
        consent = Consent(yes, override, accept, anew, by)
        joined = Joined(carrier, role, home, private, source, consent, event)
        joined.again, joined.now = again, now
        if carry:
            joined.carry()
            return
        _keep_looking(joined, once)


def _signer(where: str, home: Path, role: str, private: Path | None) -> Identity | None:
    """Return who signs requests to a letter box: the role, by its newest keys."""
    if not where.startswith("http"):
        return None
    return private_folder(home / STUDY, role, private).read_identities(role)[0]


def _certificate(where: str, home: Path, ca: Path | None) -> str | None:
    """Return the certificate that a letter box has to show by the copy of the study one has."""
    copy = home / STUDY
    if not where.startswith("https:") or not copy.exists():
        return None
    from consilience.carriers.letter_box.client import read_pin

    terms, given = Study.load(copy).letter_box, read_pin(where)
    agreed = None if terms is None else terms.certificate
    if agreed is not None and given not in (None, agreed):
        warn(f"the address names another certificate than the study, {agreed}: it counts.")
    elif agreed is not None and given is None and ca is not None:
        warn(f"--ca is trusted, and the certificate that the study names, {agreed}, is not needed.")
    return agreed


def _link(where: str, identity: Identity | None, ca: Path | None, certificate: str | None) -> str:
    """Return a link to the page of a study, signed by a role."""
    if identity is None:
        raise StudyError(f"--link is for a letter box, https://host:port, and {where} is none.")
    from consilience.carriers.letter_box.client import LetterBox

    with closing(LetterBox(where, identity, ca, certificate)) as box:
        return box.link()


def _keep_looking(joined: Joined, once: bool) -> None:
    """Look at the carrier until nothing is left to do, or once; a place out of reach may return."""
    said = None
    while True:
        try:
            waiting = joined.look()
        except CarrierError as error:
            waiting = f"the place to answer: {error}"
        if not waiting and (once or not joined.lasts):
            return
        if waiting and waiting != said:
            joined.event("waiting", waiting_for=waiting)
            warn(f"waiting for {waiting}")
            said = waiting
        if once:
            raise typer.Exit(COME_BACK)
        joined.rest(PATIENCE)


@contextmanager
def _events(as_json: bool) -> Iterator[Event]:
    """Print events as lines of JSON, and everything else to standard error; or nothing."""

    def event(name: str, **facts: Any) -> None:
        if as_json:
            when = datetime.now(UTC).isoformat(timespec="seconds")
            typer.echo(json.dumps({"when": when, "event": name, **facts}))

    before = output.stderr
    output.stderr = before or as_json
    try:
        yield event
    finally:
        output.stderr = before
