"""Commands as processes of their own, forked from one that has everything loaded, and killed."""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import NamedTuple

from consilience.cli.app import main

__all__ = ["Ended", "Running", "load", "run", "set_clock", "start", "wait"]


class Ended(NamedTuple):
    """How a process ended: its exit code, or minus the signal; and what it said."""

    code: int
    said: str


class Running(NamedTuple):
    """A process, and where its words go."""

    pid: int
    words: Path


def load(command: Sequence[str]) -> None:
    """Run a command in this process, so that those forked from it have loaded what it needs."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
        sys.argv = ["consilience", *command]
        try:
            main()
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(said.getvalue()) from None


def set_clock(off: float) -> None:
    """Let this process, which was forked for it, believe in a time that is so many seconds off."""
    true = time.time

    class Off(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Off:
            return super().now(tz) + timedelta(seconds=off)

    for name, module in list(sys.modules.items()):
        if name.startswith("consilience") and hasattr(module, "datetime"):
            vars(module)["datetime"] = Off
    time.time = lambda: true() + off


def start(command: Sequence[str], clock: float = 0.0) -> Running:
    """Start a command of the package in a process of its own, whose clock may be off."""
    descriptor, words = tempfile.mkstemp()
    child = os.fork()
    if not child:
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        if clock:
            set_clock(clock)
        os._exit(_call(command))
    os.close(descriptor)
    return Running(child, Path(words))


def wait(running: Running, kill_after: float | None = None) -> Ended:
    """Wait for a process; kill it after so many seconds, if it still runs."""
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(running.pid, signal.SIGKILL)
    _, status = os.waitpid(running.pid, 0)
    said = running.words.read_text(encoding="utf-8", errors="replace")
    running.words.unlink()
    return Ended(os.waitstatus_to_exitcode(status), said)


def run(command: Sequence[str], kill_after: float | None = None) -> Ended:
    """Run a command in a process of its own; kill it after so many seconds."""
    return wait(start(command), kill_after)


def _call(command: Sequence[str]) -> int:
    """Run a command in this process and return its exit code."""
    sys.argv = ["consilience", *command]
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    except BaseException as error:  # a traceback is what a campaign looks for
        os.write(2, f"Traceback: {error!r}".encode())
        return 70
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0
