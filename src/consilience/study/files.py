"""Files that are either whole or not there: written aside, flushed, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

__all__ = ["append_line", "write_whole"]


@contextmanager
def write_whole(path: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """Open a file to write that appears under its name only when all of it is on disk.

    A crash, a full disk or an exception leaves what was there before, and no part of the new file
    under its name.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "answer"
    >>> with write_whole(target) as stream:
    ...     _ = stream.write(b"whole")
    >>> target.read_bytes()
    b'whole'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{path.name}."
    with NamedTemporaryFile(dir=path.parent, prefix=prefix, delete=False) as stream:
        temporary = Path(stream.name)
        try:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    temporary.chmod(mode)
    temporary.replace(path)
    _flush_folder(path.parent)


def append_line(path: Path, line: str, mode: int = 0o600) -> None:
    """Append one line to a file and see it to disk before going on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
    with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
        stream.write(line.rstrip("\n") + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def _flush_folder(folder: Path) -> None:
    """Make a rename durable, where the system lets a folder be flushed."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
