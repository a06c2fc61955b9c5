"""Who else on this machine may look into what is private, or change it."""

from __future__ import annotations

import os
from pathlib import Path

from consilience.exceptions import StudyError

__all__ = ["check_private"]

OTHERS_READ_OR_WRITE, OTHERS_WRITE = 0o077, 0o022


def check_private(path: Path) -> None:
    """Refuse a file that others may read or change, or that lies where others may replace it.

    Examples
    --------
    >>> import tempfile
    >>> secret = Path(tempfile.mkdtemp()) / "row.key"
    >>> secret.touch(0o600)
    >>> check_private(secret)
    """
    if os.name == "nt":
        return  # there the bits say nothing about others
    if path.stat().st_mode & OTHERS_READ_OR_WRITE:
        raise StudyError(f"{path} can be read by others on this machine: run chmod 600 on it.")
    if path.parent.stat().st_mode & OTHERS_WRITE:
        raise StudyError(
            f"{path.parent} can be changed by others on this machine, who could put another "
            f"{path.name} there: run chmod 700 on it."
        )
