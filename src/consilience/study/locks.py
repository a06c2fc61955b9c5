"""One at a time: a lock that a process which dies lets go of."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from consilience.exceptions import StudyError

__all__ = ["locked", "study_lock"]

LOCK_MODE = 0o600


@contextmanager
def locked(path: Path, *, refuse: str = "") -> Iterator[None]:
    """Wait until nobody else holds the lock of a file, and hold it.

    The file stays, empty: to delete it would let two hold what they take for the same lock.

    Parameters
    ----------
    path : Path
    refuse : str
        What to say instead of waiting, where somebody holds it; nothing waits.

    Examples
    --------
    >>> import tempfile
    >>> with locked(Path(tempfile.mkdtemp()) / "ledger.lock"):
    ...     print("nobody else")
    nobody else
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, LOCK_MODE)
    try:
        _wait(descriptor, refuse)
        yield
    finally:
        os.close(descriptor)


def study_lock(path: Path) -> Path:
    """Return the lock of a study file, held by whoever adds to it."""
    return path.with_name(f".{path.name}.lock")


def _wait(descriptor: int, refuse: str) -> None:
    if sys.platform == "win32":
        import msvcrt
        import time

        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
                return
            except OSError:  # it gives up after ten seconds
                if refuse:
                    raise StudyError(refuse) from None
                time.sleep(0.1)
    else:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (fcntl.LOCK_NB if refuse else 0))
        except BlockingIOError:
            raise StudyError(refuse) from None
