"""The process of a letter box, which knows the keys of the roles and a folder, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from consilience.carriers.letter_box.box import Box, Limits
from consilience.carriers.letter_box.listening import Tls, listen, make_server
from consilience.carriers.letter_box.notice import Notice
from consilience.carriers.letter_box.server import make_app
from consilience.study.files import write_whole
from consilience.study.identity import PublicKeys
from consilience.study.locks import locked

__all__ = ["become", "run"]

SETTINGS, LETTERS = "serving.json", "letters"


def become(
    folder: Path,
    keys: Mapping[str, PublicKeys],
    place: tuple[str, int],
    tls: Tls | None,
    n_bytes: int,
    notice: Notice | None = None,
    as_json: bool = False,
) -> NoReturn:
    """Become the process that serves a folder; this one, with all it has loaded, is gone."""
    settings = {
        "keys": {name: known.model_dump() for name, known in keys.items()},
        "listen": place,
        "tls": None if tls is None else [str(tls.certificate), str(tls.key)],
        "n_bytes": n_bytes,
        "notice": None if notice is None else notice.model_dump(),
        "json": as_json,
    }
    with write_whole(folder / SETTINGS) as stream:
        stream.write(json.dumps(settings, indent=1).encode())
    sys.stdout.flush()
    sys.stderr.flush()
    module = __name__.rpartition(".")[0]
    os.execv(sys.executable, [sys.executable, "-m", module, str(folder)])


def run() -> None:
    """Serve the folder named on the command line until the process is told to end."""
    folder = Path(sys.argv[1])
    settings: dict[str, Any] = json.loads((folder / SETTINGS).read_bytes())
    keys = {name: PublicKeys(**known) for name, known in settings["keys"].items()}
    tls = None if settings["tls"] is None else Tls(*map(Path, settings["tls"]))
    notice = None if settings["notice"] is None else Notice(**settings["notice"])
    host, port = settings["listen"]
    event = _say_json if settings["json"] else _say_address
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    with locked(folder / ".serve.lock"):
        box = Box(folder / LETTERS, Limits(settings["n_bytes"]))
        box.clear_up()
        try:
            bound = listen(host, port)
        except OSError as error:
            sys.exit(f"failed: {error.strerror}: {host}:{port}.")
        with bound:
            pin = "" if tls is None else f"#sha256={tls.fingerprint}"
            scheme = "http" if tls is None else "https"
            event("listening", address=f"{scheme}://{host}:{bound.getsockname()[1]}{pin}")
            app = make_app(keys, box, notice=notice, event=event, tls=tls)
            try:
                make_server(app, tls).run(sockets=[bound])
            finally:
                event("stopped")


def _end(number: int, frame: object) -> NoReturn:
    """Being told to end is no failure."""
    sys.exit(0)


def _say_json(name: str, **facts: str) -> None:
    when = datetime.now(UTC).isoformat(timespec="seconds")
    _say(json.dumps({"when": when, "event": name, **facts}))


def _say_address(name: str, **facts: str) -> None:
    if name == "listening":
        _say(f"listening at {facts['address']}")


def _say(line: str) -> None:
    # Whoever read the first line may have gone away since; letters go on.
    with suppress(OSError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
