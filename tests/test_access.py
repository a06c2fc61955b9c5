"""Who may read a file: by mode bits here, and by what icacls says where Windows is emulated."""

import subprocess

import pytest

from consilience import access
from consilience.access import make_private, refuse_open, way_to_close
from consilience.exceptions import StudyError

OWN = "WARD\\steward:(F)"
LISTS = {
    "own": ([OWN], False),
    "own and the system": ([OWN, "NT AUTHORITY\\SYSTEM:(F)", "BUILTIN\\Administrators:(F)"], False),
    "everybody": ([OWN, "Everyone:(R)"], True),
    "users": (["BUILTIN\\Users:(I)(RX)", OWN], True),
    "a colleague": ([OWN, "WARD\\colleague:(R)"], True),
    "nobody": ([], False),
}  # fmt: skip


class Windows:
    """What a Windows would do: it keeps a list for each file, and icacls changes and shows it."""

    def __init__(self, entries):
        self.entries, self.calls, self.code = entries, [], 0

    def run(self, words, **options):
        self.calls.append(words)
        program, path, *rest = words
        assert program == "icacls"
        if "/grant:r" in rest:
            self.entries = [rest[-1].replace(":F", ":(F)").replace(":(OI)(CI)F", ":(OI)(CI)(F)")]
        lines = [
            f"{path} {entry}" if not k else f"    {entry}" for k, entry in enumerate(self.entries)
        ]
        text = "\n".join([*lines, "", "Successfully processed 1 files; Failed processing 0 files"])
        return subprocess.CompletedProcess(words, self.code, text, "")


@pytest.fixture
def windows(monkeypatch):
    """Emulate a Windows machine of a steward."""

    def emulate(*entries):
        system = Windows(list(entries))
        monkeypatch.setattr(access, "_on_windows", lambda: True)
        monkeypatch.setattr(access.subprocess, "run", system.run)
        monkeypatch.setattr(access.getpass, "getuser", lambda: "steward")
        monkeypatch.setenv("USERDOMAIN", "WARD")
        return system

    return emulate


def test_mode_bits_tell_who_else_reads(tmp_path):
    path = tmp_path / "secret"
    path.touch()
    for mode, is_open in ((0o600, False), (0o640, True), (0o604, True), (0o400, False)):
        path.chmod(mode)
        if is_open:
            with pytest.raises(StudyError, match="run chmod 600 on it"):
                refuse_open(path)
        else:
            refuse_open(path)


def test_a_file_is_made_private(tmp_path):
    path = tmp_path / "secret"
    path.touch(0o666)
    make_private(path)
    assert path.stat().st_mode & 0o777 == 0o600
    make_private(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("entries", "is_open"), LISTS.values(), ids=LISTS)
def test_access_lists_tell_who_else_reads(tmp_path, windows, entries, is_open):
    path = tmp_path / "secret (1): a"
    path.touch(0o666)
    windows(*entries)
    if is_open:
        with pytest.raises(StudyError, match="icacls /inheritance:r"):
            refuse_open(path)
    else:
        refuse_open(path)


def test_a_file_is_made_private_by_its_list(tmp_path, windows):
    path = tmp_path / "secret"
    path.touch()
    system = windows("Everyone:(F)")
    make_private(path)
    assert system.calls[-1] == [
        "icacls",
        str(path),
        "/inheritance:r",
        "/grant:r",
        "WARD\\steward:F",
    ]
    refuse_open(path)
    make_private(tmp_path)
    assert system.calls[-1][-1] == "WARD\\steward:(OI)(CI)F"


def test_a_file_system_without_lists_is_refused(tmp_path, windows):
    path = tmp_path / "secret"
    path.touch()
    windows(OWN).code = 1
    with pytest.raises(StudyError, match="NTFS"):
        refuse_open(path)


def test_what_is_not_there_is_said_to_be_so(tmp_path, windows):
    with pytest.raises(FileNotFoundError):
        refuse_open(tmp_path / "gone")
    windows(OWN)
    with pytest.raises(FileNotFoundError):
        refuse_open(tmp_path / "gone")
    assert "icacls" in way_to_close(tmp_path)
