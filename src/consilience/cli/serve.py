"""``consilience serve``: keep the letter box of a study for roles that may connect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.parcel import EVERYONE
from consilience.cli.shared.console import output, tell, tell_next, warn
from consilience.cli.shared.options import StudyFile, check_output
from consilience.cli.shared.post import STUDY
from consilience.exceptions import StudyError
from consilience.study.study import ANALYST, Study

__all__ = ["serve"]

OWN = "self"
GIGABYTE = 10**9


def serve(
    path: StudyFile,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen; port 0 takes a free one.")
    ] = "127.0.0.1:8443",
    tls: Annotated[
        str | None,
        typer.Option(
            metavar="CERT,KEY",
            help="PEM files of a certificate and its key; or the word self, for one of its own.",
        ),
    ] = None,
    box: Annotated[
        Path, typer.Option(file_okay=False, help="The folder of what is in the letter box.")
    ] = Path("box"),
    max_gigabytes: Annotated[
        float, typer.Option(min=0.001, help="The most that each role may leave in the box.")
    ] = 64.0,
    page: Annotated[
        bool, typer.Option(help="Show the roles a page of how far the study is: who sent, when.")
    ] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one line of JSON per event; the rest to stderr.")
    ] = False,
) -> None:
    """Keep the letter box of a study: roles put sealed files there and take those for them.

    Needs no secret of the study: anybody may run it, and reads nothing. The roles only make
    outgoing connections, one port, HTTPS: `consilience join https://HOST:PORT`. Each signs every
    request with its own key, which the study knows; it can put letters of its own only, and read
    letters to it only. Beyond this machine it speaks TLS only.

    With --tls self it makes a certificate of its own, once, and prints its SHA-256 and the address
    with it. Put it into the study before anybody agrees to it, `certificate` under [letter_box], or
    give everybody that whole address: who joins trusts this certificate and no other.

    Whoever waits may look: `consilience join ADDRESS --as ROLE --link` prints a link, signed by
    that role and good for 12 hours, to a page that says who has joined, sent and been answered,
    what is missing and since when, and what was agreed. It says nothing of sizes, and so of rows,
    unless the study does: `show_sizes = true` under [letter_box].

    All it holds lies in --box, and survives a crash at any moment. /health says whether it lives,
    /metrics counts, both without names; it logs no request. With --json it prints one line for
    each letter, failure, start and end. Ends with Ctrl-C or SIGTERM and exit code 0; 1 if it
    cannot listen, 2 if something is refused. When keys in the study changed, start it again.

    Example: `consilience serve study.toml --listen 0.0.0.0:8443 --tls cert.pem,key.pem`
    """
    from consilience.carriers.letter_box.listening import Tls, check_listen, make_certificate
    from consilience.carriers.letter_box.process import LETTERS, become
    from consilience.cli.shared.notices import notice_of

    output.stderr = output.stderr or as_json
    study = Study.load(path)
    check_output("--box", box, path)
    if tls is not None and tls != OWN and tls.count(",") != 1:
        raise StudyError(f"--tls is {tls!r}, must be CERT,KEY or the word {OWN}.")
    place = check_listen(listen, tls is not None)
    letters = box / LETTERS
    letters.mkdir(parents=True, exist_ok=True)
    shown = Tls(*map(Path, tls.split(","))) if tls and tls != OWN else None
    if tls == OWN:
        shown = make_certificate(box, place[0])
    if shown is not None:
        _tell_certificate(shown.fingerprint, study)
    Carrier(Folder(letters)).put(path, sender=ANALYST, recipient=EVERYONE, name=STUDY)
    tell(f"letter box of {study.name}, fingerprint {study.fingerprint}")
    tell_next("every role runs consilience join with this address, THIS host in it, --as ROLE")
    notice = notice_of(study) if page else None
    become(box, study.heirs.now, place, shown, int(max_gigabytes * GIGABYTE), notice, as_json)


def _tell_certificate(shown: str, study: Study) -> None:
    """Say which certificate is shown, and whether the study expects it."""
    tell(f"certificate {shown}")
    agreed = None if study.letter_box is None else study.letter_box.certificate
    if agreed not in (None, shown):
        warn(
            f"the study names another certificate, {agreed}: roles refuse this one, unless they "
            f"join by the address with #sha256= below, or agree to another study."
        )
