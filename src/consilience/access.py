"""Who else on this machine may read a file: by mode bits, or by the access list of Windows."""

from __future__ import annotations

import getpass
import os
import re
import stat
import subprocess
from pathlib import Path

from consilience.exceptions import StudyError

__all__ = ["make_private", "refuse_open", "way_to_close"]

OTHERS = stat.S_IRWXG | stat.S_IRWXO
TRUSTED = {"NT AUTHORITY\\SYSTEM", "BUILTIN\\ADMINISTRATORS"}
"""Who reads everything on Windows anyway."""

_ENTRY = re.compile(r"\s*(?P<who>[^:()]+):\(")


def refuse_open(path: Path) -> None:
    """Refuse a file that others on this machine can read, with the command that closes it.

    Raises
    ------
    StudyError
    FileNotFoundError
    """
    if _others(path):
        raise StudyError(
            f"{path} can be read by others on this machine: run {way_to_close(path)} on it."
        )


def make_private(path: Path) -> None:
    """Take the rights of everybody else away; of a folder, those to what comes into it too."""
    if _on_windows():
        grant = f"{_account()}:(OI)(CI)F" if path.is_dir() else f"{_account()}:F"
        _icacls(str(path), "/inheritance:r", "/grant:r", grant)
    else:
        path.chmod(0o700 if path.is_dir() else 0o600)


def way_to_close(path: Path) -> str:
    """Return the command by which a person does what :func:`make_private` does."""
    return "icacls /inheritance:r /grant:r %USERNAME%:F" if _on_windows() else "chmod 600"


def _others(path: Path) -> bool:
    if not _on_windows():
        return bool(path.stat().st_mode & OTHERS)
    path.stat()  # a file that is not there is said to be so
    found = {match["who"].strip().upper() for match in map(_ENTRY.match, _entries(path)) if match}
    return bool({who for who in found if not _is_me(who)} - TRUSTED)


def _entries(path: Path) -> list[str]:
    """Return the entries of an access list; icacls puts the name of the file before the first."""
    lines = _icacls(str(path)).splitlines()
    return [line.removeprefix(str(path)) for line in lines]


def _is_me(who: str) -> bool:
    return who == _account().upper() or who.rpartition("\\")[2] == getpass.getuser().upper()


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
