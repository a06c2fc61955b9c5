"""What the runs have measured so far: a run that was stopped goes on, and two runs share the work.

A store is a file under ``benchmarks/parts`` with one line of JSON per part of a run, written as
soon as the part is measured. A line counts as long as the code that measured it stays the same;
delete the file to measure everything anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from io import FileIO
from pathlib import Path

from rich.progress import Progress

from benchmarks.code import code_digest
from benchmarks.problems import Cells

Measured = dict[str, list[tuple[tuple[str, ...], float]]]
"""The cells of each part, with their values."""


def collect(
    name: str, parts: Mapping[str, Callable[[], Cells]], out: Path, progress: Progress
) -> Measured:
    """Return what all parts of a run measure, and measure only what the store does not know.

    Another process may run the same: what it is measuring is left to it, and awaited at the end.
    Should it be killed, this one measures the part.

    Parameters
    ----------
    name : str
        Of the store.
    parts : mapping of str to callable
        By a name that says all that the values depend on but for the code.
    out : Path
        Root under which ``benchmarks/parts`` is.
    progress : rich.progress.Progress

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> part = {"iris, seed 0": lambda: iter([(("Table 1", "iris", "", "pooled", "ARI"), 0.73)])}
    >>> with TemporaryDirectory() as folder, Progress(disable=True) as progress:
    ...     collect("example", part, Path(folder), progress)
    {'iris, seed 0': [(('Table 1', 'iris', '', 'pooled', 'ARI'), 0.73)]}
    """
    path = out / "benchmarks" / "parts" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    keys = {part: f"{part}, code {code_digest(_module(parts[part]))}" for part in parts}
    task = progress.add_task(name, total=len(parts))
    # One descriptor for reading, writing and claims: closing a second one would free the claims.
    with path.open("a+b", buffering=0) as file:
        lines = _Lines(file)
        for wait in (False, True):
            for part in [part for part in parts if keys[part] not in lines.read()]:
                progress.update(task, completed=sum(key in lines.known for key in keys.values()))
                with _claim(file, keys[part], wait) as mine:
                    if mine and keys[part] not in lines.read():
                        lines.write(keys[part], parts[part]())
    progress.update(task, completed=len(parts))
    return {part: lines.known[key] for part, key in keys.items()}


def chosen(
    parts: Mapping[str, Callable[[], Cells]], only: str | None
) -> dict[str, Callable[[], Cells]]:
    """Return the parts whose name begins with ``only``, or all of them if it is None.

    Examples
    --------
    >>> parts = {"Table 1, seed 0": list, "Figure 3, seed 0": list, "Figure 3, seed 1": list}
    >>> list(chosen(parts, "Figure"))
    ['Figure 3, seed 0', 'Figure 3, seed 1']
    >>> list(chosen(parts, "*seed 0"))
    ['Table 1, seed 0', 'Figure 3, seed 0']
    """
    return {name: part for name, part in parts.items() if fnmatchcase(name, f"{only or ''}*")}


class _Lines:
    """The lines of a store: what is known, and what other processes add to it."""

    def __init__(self, file: FileIO) -> None:
        self.known: Measured = {}
        self._file, self._end = file, 0

    def read(self) -> Measured:
        """Take over what was written since, and return all that is known."""
        self._file.seek(self._end)
        whole, _, _ = self._file.readall().rpartition(b"\n")
        self._end += len(whole)
        for line in whole.splitlines():
            # A process that was killed while it wrote leaves half a line.
            with suppress(json.JSONDecodeError):
                key, values = json.loads(line)
                self.known[key] = [(tuple(cell), value) for *cell, value in values]
        return self.known

    def write(self, key: str, cells: Cells) -> None:
        """Measure a part and write it down."""
        values = [(*cell, float(value)) for cell, value in cells]
        self._file.write(f"\n{json.dumps([key, values])}\n".encode())
        self.read()


@contextmanager
def _claim(file: FileIO, key: str, wait: bool) -> Iterator[bool]:
    """Keep other processes from a part; the system ends the claim of one that dies."""
    if find_spec("fcntl") is None:  # Windows: processes side by side do the work of each other
        yield True
        return
    import fcntl

    place = int.from_bytes(blake2b(key.encode(), digest_size=7).digest())
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, place)
    except (BlockingIOError, PermissionError):  # some systems say it the second way
        yield False
        return
    try:
        yield True
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


def _module(measure: Callable[[], Cells]) -> str:
    function = measure.func if isinstance(measure, partial) else measure
    return str(function.__module__)
