"""A desk at work: one socket of this machine, one folder, one browser."""

from __future__ import annotations

import logging
import socket
import webbrowser
from collections.abc import Callable, Collection, Sequence
from html import escape
from pathlib import Path
from threading import Thread

from consilience.desk.folder import DeskFolder
from consilience.desk.guard import Guard
from consilience.desk.pages import Pages
from consilience.desk.server import DeskServer, make_app
from consilience.desk.workshop import Workshop
from consilience.exceptions import MissingExtraError, StudyError
from consilience.study.files import write_whole
from consilience.study.locks import locked

try:
    import uvicorn
except ImportError as error:
    raise MissingExtraError("a desk", str(error.name), "desk") from None

__all__ = ["serve_desk"]

HOST = "127.0.0.1"
LOCK, DOOR = ".desk.lock", ".desk-open.html"


def serve_desk(
    root: Path,
    port: int,
    perform: Callable[[], None],
    *,
    preload: Sequence[str] = (),
    places: Collection[str] = (),
    browser: bool = True,
    ready: Callable[[str], None] = lambda link: None,
) -> None:
    """Serve a folder to the browser of who started it, until the process is told to end.

    Parameters
    ----------
    root : Path
    port : int
        0 takes a free one.
    perform : callable
        Runs the command in ``sys.argv``.
    preload : sequence of str
        Modules that commands need.
    places : collection of str
        Folders that files may be carried to.
    browser : bool
        Whether to open one.
    ready : callable
        Told the link, which opens once.
    """
    folder = DeskFolder(root)
    refuse = f"another desk is open on {folder.root}: use that one, or end it first."
    with locked(folder.root / LOCK, refuse=refuse), _listen(port) as bound:
        workshop = Workshop(perform, preload)
        # The guard knows the port and the pages know the guard, which stands before them.
        guard = Guard(None, bound.getsockname()[1])
        pages = Pages(guard.prefix, guard.csrf, str(folder.root))
        guard.app = make_app(DeskServer(folder, workshop, pages, places))
        Thread(target=workshop.warm_up, daemon=True).start()
        door = folder.root / DOOR
        ready(guard.link)
        if browser:
            _open(guard.link, door)
        try:
            _make_server(guard).run(sockets=[bound])
        finally:
            door.unlink(missing_ok=True)
            workshop.close()


def _open(link: str, door: Path) -> None:
    """Open the link by a private file: the words of a process can be read by everybody."""
    page = f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(link)}">'
    with write_whole(door, 0o600) as stream:
        stream.write(page.encode())
    webbrowser.open(door.as_uri())


def _listen(port: int) -> socket.socket:
    """Bind a socket that this machine alone reaches."""
    bound = socket.socket(socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port))
    except OSError as error:
        bound.close()
        raise StudyError(f"--port is {port}, which cannot be used: {error.strerror}.") from None
    bound.listen(128)
    return bound


def _make_server(guard: Guard) -> uvicorn.Server:
    """Return a server that logs no request."""
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    return uvicorn.Server(
        uvicorn.Config(
            guard,
            http="h11",
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
