"""Several files of a folder that are replaced all, or none of them.

Each is written aside, and when all are on disk a journal names them; only then they take their
places. Who dies before the journal has changed nothing. Who dies after it is completed by the next
who replaces anything in that folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from consilience.arrays import read_json
from consilience.exceptions import ArraysError, StudyError
from consilience.study.files import finish, flush_folder

__all__ = ["replace_together"]

JOURNAL = ".replacing"


@contextmanager
def replace_together(folder: Path, mode: int = 0o644) -> Iterator[Callable[[str], IO[bytes]]]:
    """Write files of a folder that appear under their names together, when all are on disk.

    One at a time: see :mod:`~consilience.study.locks`.

    Yields
    ------
    callable
        Opens a file of the folder by its name, to write. The one opened before is then done: not
        one of thousands stays open.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replace_together(folder) as opened:
    ...     for name in ("a.answer", "b.answer"):
    ...         _ = opened(name).write(b"whole")
    >>> sorted(path.name for path in folder.iterdir())
    ['a.answer', 'b.answer']
    """
    folder.mkdir(parents=True, exist_ok=True)
    _complete(folder)
    names: list[str] = []
    last: IO[bytes] | None = None

    def close() -> None:
        if last is not None and not last.closed:
            finish(last)
            last.close()

    def opened(name: str) -> IO[bytes]:
        nonlocal last
        close()
        descriptor = os.open(_aside(folder, name), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)
        names.append(name)
        last = os.fdopen(descriptor, "wb+")
        return last

    try:
        yield opened
        # The last comes first: what stands beside a file is there when the file appears.
        journal = json.dumps({"names": names[::-1]}).encode()
        # Not under a name of its own: whatever a kill leaves of it, the next run takes its place.
        opened(JOURNAL).write(journal)
        close()
        _aside(folder, JOURNAL).replace(folder / JOURNAL)
        flush_folder(folder)
    except BaseException:
        if last is not None:
            with suppress(OSError):
                last.close()
        for name in names:
            with suppress(OSError):
                _aside(folder, name).unlink()
        raise
    _complete(folder)


def _complete(folder: Path) -> None:
    """Give what a journal names its place, where that was not done yet."""
    journal = folder / JOURNAL
    if not journal.exists():
        return
    try:
        names = read_json(journal.read_bytes())["names"]
        if not all(isinstance(name, str) and Path(name).name == name for name in names):
            raise ValueError
    except (ArraysError, KeyError, TypeError, ValueError):
        raise StudyError(f"{journal} is damaged. Delete it, and run this again.") from None
    for name in names:
        with suppress(FileNotFoundError):
            _aside(folder, name).replace(folder / name)
    flush_folder(folder)
    journal.unlink()


def _aside(folder: Path, name: str) -> Path:
    return folder / f".{name}.new"
