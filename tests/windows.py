"""As much of Windows as files of a study meet: access lists in place of modes, and open files.

Mode bits mean nothing; who may read a file stands in a list that icacls shows and changes, and that
a file takes from its folder. A file that is open can neither be renamed nor deleted nor linked, and
a folder cannot be opened.
"""

import errno
import os
import pathlib
import subprocess
from pathlib import Path

from consilience import access

OWNER = "WARD\\steward"
USUAL = ["NT AUTHORITY\\SYSTEM:(I)(F)", "BUILTIN\\Administrators:(I)(F)", "BUILTIN\\Users:(I)(RX)"]
"""What a file of a new folder has: everybody on the machine can read it."""


class Windows:
    """Keeps the access lists, and what was refused because a file was open."""

    def __init__(self):
        self.lists, self.calls, self.code, self.refused = {}, [], 0, []

    def list_of(self, path):
        """Return the entries of a file: its own, or those its nearest folder hands down."""
        for place in (Path(path), *Path(path).parents):
            if place in self.lists:
                handed = [e.replace("(OI)(CI)", "(I)") for e in self.lists[place]]
                return self.lists[place] if place == Path(path) else handed
        return [f"{OWNER}:(I)(F)", *USUAL]

    def icacls(self, words, **options):
        self.calls.append(words)
        program, path, *rest = words
        assert program == "icacls"
        if "/grant:r" in rest:
            assert "/inheritance:r" in rest
            who, _, rights = rest[-1].partition(":")
            self.lists[Path(path)] = [f"{who}:{rights[:-1]}(F)"]
        entries = self.list_of(path)
        lines = [f"{path} {e}" if not k else f"    {e}" for k, e in enumerate(entries)]
        text = "\n".join([*lines, "", "Successfully processed 1 files; Failed processing 0 files"])
        return subprocess.CompletedProcess(words, self.code, text, "")

    def refuse_open(self, path):
        """Fail as Windows does if this process has a file open."""
        for descriptor in os.listdir("/proc/self/fd"):
            try:
                target = os.readlink(f"/proc/self/fd/{descriptor}")
            except OSError:
                continue
            if target == os.path.realpath(path):
                self.refused.append(str(path))
                raise PermissionError(errno.EACCES, "The process cannot access the file", str(path))


def emulate_windows(monkeypatch):
    """Make this process meet Windows from now on."""
    system = Windows()
    monkeypatch.setattr(access, "_on_windows", lambda: True)
    monkeypatch.setattr(access.subprocess, "run", system.icacls)
    monkeypatch.setattr(access.getpass, "getuser", lambda: "steward")
    monkeypatch.setenv("USERDOMAIN", "WARD")
    for name in ("replace", "rename", "unlink"):
        _guard(monkeypatch, system, pathlib.Path, name)
    for name in ("link", "replace", "rename"):
        _guard(monkeypatch, system, os, name)
    opened = os.open

    def open_no_folder(path, *more, **options):
        if isinstance(path, str | os.PathLike) and os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *more, **options)

    monkeypatch.setattr(os, "open", open_no_folder)
    monkeypatch.setattr(pathlib.Path, "chmod", lambda self, mode, **options: None)
    return system


def _guard(monkeypatch, system, owner, name):
    real = getattr(owner, name)

    def guarded(path, *more, **options):
        if os.path.exists(path):
            system.refuse_open(path)
        if more and os.path.exists(more[0]):
            system.refuse_open(more[0])
        return real(path, *more, **options)

    monkeypatch.setattr(owner, name, guarded)
