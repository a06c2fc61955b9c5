"""Where commands are run: each in a process of its own, that can be watched and stopped."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

from consilience.desk.commands import Command
from consilience.desk.seat import Seat
from consilience.exceptions import StudyError

__all__ = ["Job", "Workshop"]

Perform = Callable[[], None]
LOOK, PATIENCE = 0.15, 5.0
"""Seconds between two looks at a job, and after which one that was told to stop is ended."""

MAX_SAID = 2**23
COLUMNS = "400"
METHODS = multiprocessing.get_all_start_methods()


class Job:
    """One command at work.

    Parameters
    ----------
    action : str
    command : Command
    seat : Seat
    process : Process
    """

    def __init__(self, action: str, command: Command, seat: Seat, process: Any) -> None:
        self.action, self.command, self.seat = action, command, seat
        self.since, self.cancelled = time.monotonic(), False
        self.code: int | None = None
        self.found: Any = None
        self.last: list[str] = []
        self._process = process
        self.out, self.err = seat.kept("job.out"), seat.kept("job.err")

    @property
    def running(self) -> bool:
        """Whether it is at work."""
        return self.code is None

    @property
    def state(self) -> str:
        """How it stands, in a word."""
        if self.running:
            return "stopping" if self.cancelled else "running"
        refused = self.code and not self.found
        return "stopped" if self.cancelled else "refused" if refused else "done"

    @property
    def said(self) -> list[str]:
        """What it told so far, besides its result."""
        return _tail(self.err).splitlines()[-40:]

    @property
    def seconds(self) -> float:
        """For how long it has been at work."""
        return time.monotonic() - self.since

    def cancel(self) -> None:
        """Tell it to stop, as Ctrl-C does, so that it clears up; then end it."""
        self.cancelled = True
        if self.running and self._process.pid is not None:
            if sys.platform == "win32":
                self._process.terminate()
            else:
                os.kill(self._process.pid, signal.SIGINT)

    def follow(self) -> None:
        """Wait for its end, and keep what it said."""
        while self._process.is_alive():
            self._process.join(PATIENCE)
            if self.cancelled and self._process.is_alive():
                self._process.kill()
        self._process.join()
        code = self._process.exitcode
        text, self.last = _tail(self.out), self.said
        try:
            self.found = json.loads(text)
        except ValueError:
            self.found = None
        said = {"code": code, "lines": text.splitlines(), "said": self.last, "found": self.found}
        if not self.cancelled and (code == 0 or self.found):
            self.seat.keep_result(self.action, self.command, said)
        for path in (self.out, self.err):
            path.unlink(missing_ok=True)
        self.code = code

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Say how it goes, again and again until it has ended."""
        while True:
            running = self.running
            last = self.said if running else self.last
            yield {"state": self.state, "seconds": round(self.seconds), "said": last[-1:]}
            if not running:
                return
            await asyncio.sleep(LOOK)


class Workshop:
    """Runs one command at a time for each study.

    Parameters
    ----------
    perform : callable
        The command ``consilience``: reads its words from ``sys.argv``.
    preload : sequence of str
        Modules that commands need and that take long to load: where the system can, a process
        loads them once and every command begins as its copy.
    """

    def __init__(self, perform: Perform, preload: Sequence[str] = ()) -> None:
        self._perform, self._jobs = perform, dict[Path, Job]()
        method = "forkserver" if "forkserver" in METHODS else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        if method == "forkserver":
            self._context.set_forkserver_preload(list(preload))

    def warm_up(self) -> None:
        """Let the process that loads modules begin to do so."""
        process = self._context.Process(target=_nothing)
        process.start()
        process.join()

    def job(self, seat: Seat) -> Job | None:
        """Return the latest command of a study."""
        return self._jobs.get(seat.path)

    def start(self, action: str, command: Command, seat: Seat) -> Job:
        """Begin with a command; refused while another of the same study is at work."""
        before = self.job(seat)
        if before is not None and before.running:
            raise StudyError(
                f"`{before.command.shown.split()[1]}` is still at work in this study: wait for it, "
                f"or stop it."
            )
        seat.kept("").mkdir(mode=0o700, exist_ok=True)
        for name in ("job.out", "job.err"):
            seat.kept(name).unlink(missing_ok=True)
        given = (self._perform, command.run, str(seat.path), command.given)
        process = self._context.Process(target=_work, args=given, daemon=True)
        process.start()
        job = Job(action, command, seat, process)
        self._jobs[seat.path] = job
        Thread(target=job.follow, daemon=True).start()
        return job

    def close(self) -> None:
        """Stop whatever is at work."""
        for job in self._jobs.values():
            job.cancel()


def _nothing() -> None:
    """Do nothing, in a process that has loaded everything."""


def _work(perform: Perform, words: Sequence[str], folder: str, given: str) -> None:
    """Run a command in this process, in the folder of its study; what it says goes into files."""
    os.chdir(folder)
    os.environ["COLUMNS"] = COLUMNS
    os.environ.setdefault("MPLBACKEND", "Agg")
    if hasattr(os, "nice"):
        os.nice(5)
    for descriptor, name in ((1, "job.out"), (2, "job.err")):
        opened = os.open(f".desk/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    reading, writing = os.pipe()
    os.write(writing, given.encode()[:4096])
    os.close(writing)
    sys.stdin = os.fdopen(reading, encoding="utf-8")
    sys.argv = ["consilience", *words]
    perform()


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - MAX_SAID))
            return stream.read().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
