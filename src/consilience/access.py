"""Who else on this machine may read or change a file: by mode bits, or by the lists of Windows."""

from __future__ import annotations

import getpass
import os
import re
import subprocess
from pathlib import Path

from consilience.exceptions import StudyError

__all__ = ["check_private", "make_private"]

OTHERS_READ_OR_WRITE, OTHERS_WRITE = 0o077, 0o022
TRUSTED = {
    "NT AUTHORITY\\SYSTEM",
    "BUILTIN\\ADMINISTRATORS",
    "OWNER RIGHTS",
    "CREATOR OWNER",
}
"""Whose rights on Windows are those of the owner, or of who reads everything anyway."""

_ENTRY = re.compile(r"\s*(?P<who>[^:()]+):\((?P<rights>.*)\)\s*$")


def check_private(path: Path) -> None:
    """Refuse a file that others may read or change, or that lies where others may replace it.

    Raises
    ------
    StudyError
        With the command that closes it.
    FileNotFoundError

    Examples
    --------
    >>> import tempfile
    >>> secret = Path(tempfile.mkdtemp()) / "row.key"
    >>> secret.touch(0o600)
    >>> check_private(secret)
    """
    windows = _on_windows()
    if _reaches(path, OTHERS_READ_OR_WRITE):
        close = f'icacls "{path}" /inheritance:r /grant:r %USERNAME%:F' if windows else "chmod 600"
        where = "" if windows else " on it"
        raise StudyError(f"{path} can be read by others on this machine: run {close}{where}.")
    if not windows and _reaches(path.parent, OTHERS_WRITE):
        raise StudyError(
            f"{path.parent} can be changed by others on this machine, who could put another "
            f"{path.name} there: run chmod 700 on it."
        )


def make_private(folder: Path) -> None:
    """Make a folder its owner's alone, and what will be written into it."""
    if _on_windows():
        _icacls(str(folder), "/inheritance:r", "/grant:r", f"{_account()}:(OI)(CI)F")
    else:
        folder.chmod(0o700)


def _reaches(path: Path, bits: int) -> bool:
    """Tell whether others have some of these rights to a file, or any on Windows."""
    mode = path.stat().st_mode
    if not _on_windows():
        return bool(mode & bits)
    found = (_ENTRY.match(line) for line in _entries(path))
    others = {match["who"].strip().upper() for match in found if match}
    return bool({who for who in others if not _is_me(who)} - TRUSTED)


def _entries(path: Path) -> list[str]:
    """Return the entries of an access list; icacls puts the name of the file before the first."""
    return [line.removeprefix(str(path)) for line in _icacls(str(path)).splitlines()]


def _is_me(who: str) -> bool:
    return who in (_account().upper(), getpass.getuser().upper())


def _account() -> str:
    domain = os.environ.get("USERDOMAIN")
    return f"{domain}\\{getpass.getuser()}" if domain else getpass.getuser()


def _on_windows() -> bool:
    return os.name == "nt"


def _icacls(*arguments: str) -> str:
    done = subprocess.run(
        ["icacls", *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode:
        raise StudyError(
            f"the access list of {arguments[0]} cannot be read or changed by icacls: is it on a "
            f"file system that has none, as a memory stick? Keep secrets on an NTFS volume."
        )
    return done.stdout
