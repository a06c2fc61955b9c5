"""A letter box whose server is killed, whose clients are, and whose line is cut: nothing is lost.

Every process is forked from this one, on loopback. A client that is not killed itself never hears
of it but by waiting longer.
"""

from __future__ import annotations

import mmap
import os
import random
import re
import resource
import shutil
import signal
import socket
import ssl
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from benchmarks.adversary.lines import House, connect_for, intercept, relay
from benchmarks.adversary.small_studies import private_folder, small_study
from benchmarks.adversary.tried import Tried, share_of
from consilience.carriers.carrier import Carrier
from consilience.carriers.letter_box import client
from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.client import LetterBox
from consilience.carriers.letter_box.listening import listen, make_certificate, make_server
from consilience.carriers.letter_box.server import make_app
from consilience.carriers.parcel import PIECE_BYTES, SLIP
from consilience.study.study import ANALYST, Study

__all__ = ["Scene", "attempt"]

PARTY = "north/lab"
N_TRIES = 100
N_PIECES = 3
HOST = "127.0.0.1"
DAY = 86_400


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
    scenes: dict[str, Callable[[Scene], list[str]]] = {
        "server killed in mid-upload; a letter lost, doubled or damaged": _kill_server_uploading,
        "server killed in mid-download; a letter half-read": _kill_server_downloading,
        "client killed in mid-upload; the same, or more than one piece sent again": _kill_sender,
        "client killed in mid-download; a letter half-read": _kill_reader,
        "line cut again and again, or slow; the same": _cut_line,
        "full disk at the server for a while; the same, or something left behind": _fill_disk,
        "the server's clock jumps by up to a day; the same": _turn_clock,
        "two clients with one identity, one of them killed at times; the same": _send_twice,
        "TLS through a CONNECT proxy that cuts lines; the same": _connect,
        "TLS opened by a proxy; the same, or a request it heard is taken again": _open_tls,
    }
    with tempfile.TemporaryDirectory() as folder:
        for number, (what, play) in enumerate(scenes.items()):
            failures = 0
            for k in range(n_tries):
                encrypted = play in (_connect, _open_tls)
                scene = Scene(Path(folder), rng, f"{number}-{k}", encrypted)
                try:
                    failures += bool(play(scene))
                finally:
                    scene.close()
            yield Tried(what, n_tries, failures)


class Scene:
    """A letter box, a letter, and the processes that were started."""

    def __init__(
        self, folder: Path, rng: random.Random, name: str = "0", encrypted: bool = False
    ) -> None:
        self.folder, self.rng, self.path = folder / name, rng, folder / "study" / "study.toml"
        if not self.path.exists():
            small_study(self.path.parent, "no noise")
        self.root, self.letter = self.folder / "box", self.folder / "north.contribution"
        self.root.mkdir(parents=True)
        self.content = random.Random(name).randbytes(N_PIECES * PIECE_BYTES - 12345)
        self.letter.write_bytes(self.content)
        self.running: set[int] = set()
        self.tls = make_certificate(self.folder, HOST) if encrypted else None
        self.by: int | None = None
        self.proxy: str | None = None
        self.ca: Path | None = None
        # The clock of the server, as far as it is off: shared with its process.
        self.off = mmap.mmap(-1, 8)
        with listen(HOST, 0) as probe:
            self.port = int(probe.getsockname()[1])
        self.server = self.start(self.serve)

    def serve(self) -> None:
        """Serve the box; on one port, again and again."""
        app = make_app(Study.load(self.path).heirs.now, Box(self.root), self.clock)
        with listen(HOST, self.port) as bound:
            make_server(app, self.tls).run(sockets=[bound])

    def clock(self) -> float:
        """Return the time at the server."""
        return time.time() + int.from_bytes(self.off[:8], "big", signed=True)

    def turn_clock(self) -> None:
        """Set the server's clock by up to a day to either side."""
        self.off[:8] = self.rng.randint(-DAY, DAY).to_bytes(8, "big", signed=True)

    def send(self, letter: Path | None = None) -> None:
        """Put the letter, or another one of its name, as `consilience join` does."""
        with closing(self.open(PARTY)) as shelf:
            name, file = self.letter.name, letter or self.letter
            Carrier(shelf).put(file, sender=PARTY, recipient=ANALYST, name=name, once=True)

    def fetch(self) -> None:
        """Get the letter."""
        with closing(self.open(ANALYST)) as shelf:
            carrier = Carrier(shelf)
            [parcel] = carrier.list(ANALYST)
            carrier.get(parcel, self.arrived)

    @property
    def arrived(self) -> Path:
        """Where the letter arrives."""
        return self.folder / "arrived"

    def open(self, role: str) -> LetterBox:
        """Open the letter box as a role: directly, by another port or by a proxy."""
        identity = private_folder(self.path, role).read_identity(role)
        for name in ("no_proxy", "NO_PROXY", "https_proxy", "HTTPS_PROXY"):
            os.environ.pop(name, None)
        if self.proxy is not None:
            os.environ["HTTPS_PROXY"] = self.proxy
        if self.tls is None:
            return LetterBox(f"http://{HOST}:{self.by or self.port}", identity)
        pin = "" if self.ca else f"#sha256={self.tls.fingerprint}"
        return LetterBox(f"https://{HOST}:{self.port}{pin}", identity, self.ca)

    def replays(self, request: bytes) -> bool:
        """Send a request that was heard to the server once more; tell whether it is obeyed."""
        blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection((HOST, self.port), 30) as plain,
            blind.wrap_socket(plain) as line,
        ):
            line.sendall(request)
            return line.recv(100).startswith(b"HTTP/1.1 2")

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


def _kill_server_uploading(scene: Scene) -> list[str]:
    return _kill_server(scene, scene.send)


def _kill_server_downloading(scene: Scene) -> list[str]:
    scene.send()
    return _kill_server(scene, scene.fetch)


def _kill_server(scene: Scene, act: Callable[[], None]) -> list[str]:
    acting = scene.start(act)
    scene.pause()
    scene.kill(scene.server)
    found = scene.half_read()
    scene.server = scene.start(scene.serve)
    code = scene.end(acting)
    return found + ([f"exit code {code}"] if code else scene.problems())


def _kill_sender(scene: Scene) -> list[str]:
    sending = scene.start(scene.send)
    scene.pause()
    scene.kill(sending)
    there = {path: path.stat().st_mtime_ns for path in scene.root.rglob("0*") if path.is_file()}
    scene.send()
    again = [path.name for path, when in there.items() if path.stat().st_mtime_ns != when]
    return scene.problems() + ([f"{again} were sent again"] if len(again) > 1 else [])


def _kill_reader(scene: Scene) -> list[str]:
    scene.send()
    reading = scene.start(scene.fetch)
    scene.pause()
    scene.kill(reading)
    return scene.half_read() + scene.problems()


def _cut_line(scene: Scene) -> list[str]:
    return _through(scene, lambda bound: relay(bound, scene.port, scene.rng))


def _fill_disk(scene: Scene) -> list[str]:
    """Let no file of the server grow beyond less than a piece for a while."""
    sending = scene.start(scene.send)
    scene.pause()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(scene.server, resource.RLIMIT_FSIZE, (scene.rng.randrange(10**6), hard))
    scene.pause()
    scene.pause()
    resource.prlimit(scene.server, resource.RLIMIT_FSIZE, (hard, hard))
    code = scene.end(sending)
    if code:  # it gave up, and somebody ran it again
        scene.send()
    left = [path.name for path in scene.root.rglob(".*")]
    return scene.problems() + ([f"left behind: {left}"] if left else [])


def _turn_clock(scene: Scene) -> list[str]:
    """Let the server's clock jump by up to a day, to and fro, while a letter is sent and read."""
    codes = []
    for act in (scene.send, scene.fetch):
        acting = scene.start(act)
        for _ in range(3):
            scene.pause()
            scene.turn_clock()
        codes.append(scene.end(acting))
    return [f"exit codes {codes}"] if any(codes) else scene.problems()


def _send_twice(scene: Scene) -> list[str]:
    """Let two processes with one identity send the same letter at once."""
    both = [scene.start(scene.send), scene.start(scene.send)]
    if scene.rng.random() < 0.3:
        scene.pause()
        scene.kill(both.pop())
    codes = [scene.end(one) for one in both]
    return [f"exit codes {codes}"] if any(codes) else scene.problems()


def _connect(scene: Scene) -> list[str]:
    return _through(scene, lambda bound: connect_for(bound, scene.port, scene.rng), proxy=True)


def _open_tls(scene: Scene) -> list[str]:
    """Let a proxy open TLS, and send again to the server what it heard."""
    house, heard = House(scene.folder), scene.folder / "heard"

    def keep(data: bytes) -> None:
        with heard.open("ab") as file:
            file.write(data)

    found = _through(
        scene, lambda bound: intercept(bound, scene.port, house, keep), ca=house.authority
    )
    accepted = sum(map(scene.replays, _requests(heard.read_bytes())))
    return found + ([f"{accepted} requests were taken twice"] if accepted else [])


def _through(
    scene: Scene,
    carry: Callable[[socket.socket], None],
    proxy: bool = False,
    ca: Path | None = None,
) -> list[str]:
    """Send and fetch through something that carries bytes, and say what is wrong."""
    with listen(HOST, 0) as bound:
        line, port = scene.start(lambda: carry(bound)), int(bound.getsockname()[1])
        if proxy or ca:
            scene.proxy, scene.ca = f"http://{HOST}:{port}", ca
        else:
            scene.by = port
        codes = [scene.end(scene.start(act)) for act in (scene.send, scene.fetch)]
        scene.proxy, scene.ca, scene.by = None, None, None
        scene.kill(line)
    return [f"exit codes {codes}"] if any(codes) else scene.problems()


def _requests(heard: bytes) -> list[bytes]:
    """Part what was heard into signed requests."""
    found, start = [], 0
    while (end := heard.find(b"\r\n\r\n", start)) >= 0:
        length = re.search(rb"content-length: (\d+)", heard[start:end].lower())
        after = end + 4 + (int(length.group(1)) if length else 0)
        if b"signature:" in heard[start:end].lower():
            found.append(heard[start:after])
        start = after
    return found
