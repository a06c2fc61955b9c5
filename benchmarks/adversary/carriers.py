"""A letter box whose server is killed, whose clients are, and whose line is cut: nothing is lost.

Every process is forked from this one, on loopback. A client that is not killed itself never hears
of it but by waiting longer.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from benchmarks.adversary.small_studies import private_folder, small_study
from benchmarks.adversary.tried import Tried, share_of
from consilience.carriers.carrier import Carrier
from consilience.carriers.letter_box import client
from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.client import LetterBox
from consilience.carriers.letter_box.listening import listen, make_server
from consilience.carriers.letter_box.server import make_app
from consilience.carriers.parcel import PIECE_BYTES, SLIP
from consilience.study.study import ANALYST, Study

__all__ = ["attempt"]

PARTY = "north/lab"
N_TRIES = 100
N_PIECES = 3
HOST = "127.0.0.1"


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Let processes and lines die at random moments of a transfer of 12 MB.

    Parameters
    ----------
    share : float
        Of 100 deaths of each kind.
    seed : int
    """
    rng, n_tries = random.Random(seed), share_of(N_TRIES, share)
    client.FIRST_PAUSE = 0.02
    scenes: dict[str, Callable[[_Scene], list[str]]] = {
        "server killed in mid-upload; a letter lost, doubled or damaged": _kill_server_uploading,
        "server killed in mid-download; a letter half-read": _kill_server_downloading,
        "client killed in mid-upload; the same, or more than one piece sent again": _kill_sender,
        "client killed in mid-download; a letter half-read": _kill_reader,
        "line cut again and again, or slow; the same": _cut_line,
    }
    with tempfile.TemporaryDirectory() as folder:
        for number, (what, play) in enumerate(scenes.items()):
            failures = 0
            for k in range(n_tries):
                scene = _Scene(Path(folder), rng, f"{number}-{k}")
                try:
                    failures += bool(play(scene))
                finally:
                    scene.close()
            yield Tried(what, n_tries, failures)


class _Scene:
    """A letter box, a letter, and the processes that were started."""

    def __init__(self, folder: Path, rng: random.Random, name: str = "0") -> None:
        self.folder, self.rng, self.path = folder / name, rng, folder / "study" / "study.toml"
        if not self.path.exists():
            small_study(self.path.parent, "no noise")
        self.root, self.letter = self.folder / "box", self.folder / "north.contribution"
        self.root.mkdir(parents=True)
        self.content = random.Random(name).randbytes(N_PIECES * PIECE_BYTES - 12345)
        self.letter.write_bytes(self.content)
        self.running: set[int] = set()
        with listen(HOST, 0) as probe:
            self.port = int(probe.getsockname()[1])
        self.server = self.start(self.serve)

    def serve(self) -> None:
        """Serve the box; on one port, again and again."""
        app = make_app(Study.load(self.path).heirs.now, Box(self.root))
        with listen(HOST, self.port) as bound:
            make_server(app, None).run(sockets=[bound])

    def send(self, port: int | None = None) -> None:
        """Put the letter."""
        with closing(self.open(PARTY, port)) as shelf:
            Carrier(shelf).put(self.letter, sender=PARTY, recipient=ANALYST)

    def fetch(self, port: int | None = None) -> None:
        """Get the letter."""
        with closing(self.open(ANALYST, port)) as shelf:
            carrier = Carrier(shelf)
            [parcel] = carrier.list(ANALYST)
            carrier.get(parcel, self.arrived)

    @property
    def arrived(self) -> Path:
        """Where the letter arrives."""
        return self.folder / "arrived"

    def open(self, role: str, port: int | None = None) -> LetterBox:
        """Open the letter box as a role, directly or by another port."""
        identity = private_folder(self.path, role).read_identity(role)
        return LetterBox(f"http://{HOST}:{port or self.port}", identity)

    def start(self, act: Callable[[], None]) -> int:
        """Act in a process of its own."""
        pid = os.fork()
        if not pid:
            code = 1
            with suppress(BaseException):
                act()
                code = 0
            os._exit(code)
        self.running.add(pid)
        return pid

    def kill(self, pid: int) -> None:
        """Kill a process, wherever it is."""
        os.kill(pid, signal.SIGKILL)
        self.end(pid)

    def end(self, pid: int) -> int:
        """Wait for a process and return its exit code, or minus the signal."""
        self.running.discard(pid)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def close(self) -> None:
        """Kill what still runs, and remove what was sent."""
        for pid in list(self.running):
            self.kill(pid)
        shutil.rmtree(self.folder)

    def pause(self) -> None:
        """Let a moment of a transfer pass."""
        time.sleep(self.rng.uniform(0, 0.25))

    def problems(self) -> list[str]:
        """Say what is wrong once a letter was put: it must be there once, and be the letter."""
        found = []
        slips = list(self.root.rglob(SLIP))
        if len(slips) != 1:
            found.append(f"{len(slips)} parcels")
        if not self.arrived.exists():
            self.fetch()
        if self.arrived.read_bytes() != self.content:
            found.append("another letter")
        return found

    def half_read(self) -> list[str]:
        """Say whether something lies there that is not the whole letter."""
        whole = not self.arrived.exists() or self.arrived.read_bytes() == self.content
        return [] if whole else ["half a letter"]


def _kill_server_uploading(scene: _Scene) -> list[str]:
    return _kill_server(scene, scene.send)


def _kill_server_downloading(scene: _Scene) -> list[str]:
    scene.send()
    return _kill_server(scene, scene.fetch)


def _kill_server(scene: _Scene, act: Callable[[], None]) -> list[str]:
    acting = scene.start(act)
    scene.pause()
    scene.kill(scene.server)
    found = scene.half_read()
    scene.server = scene.start(scene.serve)
    code = scene.end(acting)
    return found + ([f"exit code {code}"] if code else scene.problems())


def _kill_sender(scene: _Scene) -> list[str]:
    sending = scene.start(scene.send)
    scene.pause()
    scene.kill(sending)
    there = {path: path.stat().st_mtime_ns for path in scene.root.rglob("0*") if path.is_file()}
    scene.send()
    again = [path.name for path, when in there.items() if path.stat().st_mtime_ns != when]
    return scene.problems() + ([f"{again} were sent again"] if len(again) > 1 else [])


def _kill_reader(scene: _Scene) -> list[str]:
    scene.send()
    reading = scene.start(scene.fetch)
    scene.pause()
    scene.kill(reading)
    return scene.half_read() + scene.problems()


def _cut_line(scene: _Scene) -> list[str]:
    with listen(HOST, 0) as bound:
        line = scene.start(lambda: _relay(bound, scene.port, scene.rng))
        port = int(bound.getsockname()[1])
        codes = [scene.end(scene.start(lambda: scene.send(port)))]
        codes.append(scene.end(scene.start(lambda: scene.fetch(port))))
        scene.kill(line)
    return [f"exit codes {codes}"] if any(codes) else scene.problems()


def _relay(bound: socket.socket, port: int, rng: random.Random) -> None:
    """Carry bytes to and fro; most connections are cut after some, and some are slow."""
    while True:
        near, _ = bound.accept()
        with near, socket.create_connection((HOST, port)) as far:
            # Enough for two pieces at most: what gets through is kept.
            left = rng.choice([10**9, rng.randrange(1000), rng.randrange(2 * PIECE_BYTES)])
            slow = rng.random() < 0.2
            other = {near: far, far: near}
            with suppress(OSError):
                while left > 0:
                    ready, _, _ = select.select([near, far], [], [], 30)
                    for one in ready:
                        data = one.recv(2**16)
                        if not data:
                            left = 0
                        if slow:
                            time.sleep(0.001)
                        other[one].sendall(data)
                        left -= len(data)
