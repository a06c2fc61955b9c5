"""Files that are either whole or not there: written aside, flushed, then renamed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

__all__ = ["append_line", "create_whole", "finish", "flush_folder", "write_whole"]


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
    with _aside(path, mode) as (stream, temporary):
        yield stream
        finish(stream)
        # Windows renames no file that is open.
        stream.close()
        temporary.replace(path)
    flush_folder(path.parent)


def create_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a new file whole; a file that is already there stays as it is.

    Raises
    ------
    FileExistsError
    """
    with _aside(path, mode) as (stream, temporary):
        stream.write(data)
        finish(stream)
        stream.close()
        try:
            # Unlike a rename, a link never takes the place of what is there.
            os.link(temporary, path)
            temporary.unlink()
        except OSError:
            if path.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
            temporary.replace(path)  # a file system without links, as on a memory stick
    flush_folder(path.parent)


def finish(stream: IO[bytes]) -> None:
    """See everything written so far to disk."""
    stream.flush()
    os.fsync(stream.fileno())


def append_line(path: Path, line: str, mode: int = 0o600) -> None:
    """Append one line to a file and see it to disk before going on; all of it, or nothing.

    A line that a power cut left unfinished gives way: whoever wrote it did not go on.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, mode)
    with os.fdopen(descriptor, "rb+", buffering=0) as stream:
        end = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        size = stream.read(end).rfind(b"\n") + 1
        stream.seek(size)
        data = f"{line.rstrip()}\n".encode()
        try:
            if size < end:
                stream.truncate(size)
            if stream.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            os.fsync(stream.fileno())
        except OSError:
            with suppress(OSError):
                stream.truncate(size)
            raise


@contextmanager
def _aside(path: Path, mode: int) -> Iterator[tuple[IO[bytes], Path]]:
    """Open a temporary file in the folder of a file to be; it is gone if anything goes wrong."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
        temporary = Path(stream.name)
        try:
            temporary.chmod(mode)
            yield stream, temporary
        except BaseException:
            with suppress(OSError):
                stream.close()
            with suppress(OSError):
                temporary.unlink()
            raise


def flush_folder(folder: Path) -> None:
    """Make a rename durable, where the system lets a folder be flushed."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
