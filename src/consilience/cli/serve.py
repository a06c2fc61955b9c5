"""``consilience serve``: keep the letter box of a study for roles that may connect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.parcel import EVERYONE
from consilience.cli.shared.console import tell, tell_next
from consilience.cli.shared.options import StudyFile, check_output
from consilience.cli.shared.post import STUDY
from consilience.exceptions import StudyError
from consilience.study.locks import locked
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
) -> None:
    """Keep the letter box of a study: roles put sealed files there and take those for them.

    Needs no secret of the study: anybody may run it, and reads nothing. The roles only make
    outgoing connections, one port, HTTPS: `consilience join https://HOST:PORT`. Each signs every
    request with its own key, which the study knows; it can put letters of its own only, and read
    letters to it only. Beyond this machine it speaks TLS only.

    With --tls self it makes a certificate of its own, once, and prints the address with the
    fingerprint that everybody should use: who joins by it trusts this certificate and no other.

    All it holds lies in --box, and survives a crash at any moment. /health says whether it lives,
    /metrics counts, both without names; it logs no request. Ends with Ctrl-C. When keys in the
    study changed, start it again.

    Example: `consilience serve study.toml --listen 0.0.0.0:8443 --tls cert.pem,key.pem`
    """
    from consilience.carriers.letter_box.box import Box, Limits
    from consilience.carriers.letter_box.listening import (
        Tls,
        make_certificate,
        make_server,
        read_listen,
    )
    from consilience.carriers.letter_box.listening import listen as bind
    from consilience.carriers.letter_box.server import make_app

    study = Study.load(path)
    check_output("--box", box, path)
    host, port = read_listen(listen)
    if tls is not None and tls != OWN and tls.count(",") != 1:
        raise StudyError(f"--tls is {tls!r}, must be CERT,KEY or the word {OWN}.")
    (box / "letters").mkdir(parents=True, exist_ok=True)
    shown = Tls(*map(Path, tls.split(","))) if tls and tls != OWN else None
    with locked(box / ".serve.lock"):
        if tls == OWN:
            shown = make_certificate(box, host)
        letters = Box(box / "letters", Limits(int(max_gigabytes * GIGABYTE)))
        letters.clear_up()
        Carrier(Folder(letters.root)).put(path, sender=ANALYST, recipient=EVERYONE, name=STUDY)
        with bind(host, port, shown) as bound:
            number = bound.getsockname()[1]
            pin = "" if shown is None else f"#sha256={shown.fingerprint}"
            scheme = "http" if shown is None else "https"
            tell(f"letter box of {study.name}, fingerprint {study.fingerprint}")
            tell(f"listening at {scheme}://{host}:{number}{pin}")
            tell_next(f"every role runs consilience join {scheme}://THIS-HOST:{number} --as ROLE")
            make_server(make_app(study, letters), shown).run(sockets=[bound])
