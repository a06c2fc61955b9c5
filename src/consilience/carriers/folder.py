"""A folder that all roles reach: on one machine, on a network drive, or carried to and fro."""

from __future__ import annotations

import os
import time
from pathlib import Path

from consilience.exceptions import CarrierError
from consilience.study.files import write_whole

__all__ = ["LOOK_AGAIN", "Folder"]

LOOK_AGAIN = 2.0
"""Seconds between two looks at a place that cannot say when something is new."""

FILE_MODE = 0o644


class Folder:
    """A shelf in a folder; what each role writes lies in a folder of its own.

    Parameters
    ----------
    root : Path

    Examples
    --------
    >>> import tempfile
    >>> shelf = Folder(Path(tempfile.mkdtemp()))
    >>> shelf.write("a/b", b"piece")
    >>> shelf.find(), shelf.read("a/b")
    ({'a/b': 5}, b'piece')
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, data: bytes) -> None:
        """Write a file; one that is there already gives way."""
        with write_whole(self.root / path, FILE_MODE) as stream:
            stream.write(data)

    def read(self, path: str) -> bytes:
        """Return a file."""
        try:
            return (self.root / path).read_bytes()
        except FileNotFoundError:
            raise CarrierError(f"{path} is not in {self.root}.") from None

    def find(self) -> dict[str, int]:
        """Return the size of every file, by path; those still being written are hidden."""
        if not self.root.is_dir():
            raise CarrierError(f"there is no folder {self.root}. Make it, or mount it.")
        found = {}
        for folder, _, names in os.walk(self.root):
            for path in (Path(folder) / name for name in names if not name.startswith(".")):
                try:
                    found[path.relative_to(self.root).as_posix()] = path.stat().st_size
                except FileNotFoundError:
                    continue  # it went while we looked
        return found

    def rest(self, seconds: float) -> None:
        """Sleep: a folder on another machine does not say when something is new."""
        time.sleep(min(seconds, LOOK_AGAIN))
