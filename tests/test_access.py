"""Who may read a file: by mode bits here, and by what icacls says where Windows is emulated."""

import sys

import pytest

from consilience.access import check_private, make_private
from consilience.exceptions import StudyError
from windows import OWNER, emulate_windows

needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="open files are seen in /proc")


@pytest.fixture
def windows(monkeypatch):
    return emulate_windows(monkeypatch)


@pytest.mark.skipif(sys.platform == "win32", reason="mode bits say nothing there")
@pytest.mark.parametrize(
    ("file", "folder", "reason"),
    [
        (0o600, 0o700, None),
        (0o400, 0o755, None),
        (0o644, 0o700, "can be read by others"),
        (0o606, 0o700, "can be read by others"),
        (0o620, 0o700, "can be read by others"),
        (0o600, 0o770, "can be changed by others"),
        (0o600, 0o702, "can be changed by others"),
    ],
)
def test_what_others_can_reach_is_refused(tmp_path, file, folder, reason):
    secret = tmp_path / "private" / "row.key"
    secret.parent.mkdir()
    secret.touch()
    secret.chmod(file)
    secret.parent.chmod(folder)
    if reason is None:
        check_private(secret)
        return
    with pytest.raises(StudyError, match=reason):
        check_private(secret)


LISTS = {
    "own": ([f"{OWNER}:(F)"], False),
    "own and the system": ([f"{OWNER}:(F)", "NT AUTHORITY\\SYSTEM:(I)(F)"], False),
    "administrators": ([f"{OWNER}:(F)", "BUILTIN\\Administrators:(I)(F)"], False),
    "own without a domain": (["steward:(F)"], False),
    "everybody": ([f"{OWNER}:(F)", "Everyone:(R)"], True),
    "users": (["BUILTIN\\Users:(I)(RX)", f"{OWNER}:(F)"], True),
    "a colleague": ([f"{OWNER}:(F)", "WARD\\colleague:(R)"], True),
    "somebody of this name elsewhere": ([f"{OWNER}:(F)", "OTHER\\steward:(R)"], True),
}


@pytest.mark.parametrize(("entries", "is_open"), LISTS.values(), ids=LISTS)
def test_access_lists_tell_who_else_reads(tmp_path, windows, entries, is_open):
    path = tmp_path / "row (1).key"
    path.touch(0o666)
    windows.lists[path] = entries
    if is_open:
        with pytest.raises(StudyError, match=r"icacls .* /inheritance:r /grant:r"):
            check_private(path)
    else:
        check_private(path)


def test_what_is_written_into_a_private_folder_is_private(tmp_path, windows):
    secret = tmp_path / "private" / "row.key"
    secret.parent.mkdir()
    secret.touch()
    with pytest.raises(StudyError, match="can be read by others"):
        check_private(secret)
    make_private(secret.parent)
    check_private(secret)
    grant = ["icacls", str(secret.parent), "/inheritance:r", "/grant:r", f"{OWNER}:(OI)(CI)F"]
    assert grant in windows.calls


@pytest.mark.skipif(sys.platform == "win32", reason="mode bits say nothing there")
def test_a_folder_is_made_private_by_its_mode(tmp_path):
    tmp_path.chmod(0o777)
    make_private(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_a_file_system_without_lists_is_refused(tmp_path, windows):
    path = tmp_path / "secret"
    path.touch()
    windows.code = 1
    with pytest.raises(StudyError, match="NTFS"):
        check_private(path)


def test_what_is_not_there_is_said_to_be_so(tmp_path, windows):
    with pytest.raises(FileNotFoundError):
        check_private(tmp_path / "gone")


@needs_proc
def test_the_emulation_refuses_what_windows_would(tmp_path, windows):
    path = tmp_path / "open"
    with path.open("wb"), pytest.raises(PermissionError):
        path.replace(tmp_path / "other")
    path.replace(tmp_path / "other")
    assert windows.refused == [str(path)]


@needs_proc
def test_a_whole_study_runs_where_modes_mean_nothing_and_open_files_stay(cli, tmp_path, windows):
    table = "id,age,pulse\n" + "".join(f"P{k},{20 + k},{60 + k % 7}\n" for k in range(40))
    (tmp_path / "table.csv").write_text(table)
    study = tmp_path / "study.toml"
    words = ["init", "--rows", "a", "--columns", "lab", "--from", f"lab={tmp_path / 'table.csv'}"]
    assert cli(*words, "--clusters", "2", "--paper", "--out", tmp_path).code == 0
    for role in ("a/lab", "analyst"):
        result = cli("keygen", "--name", role, "--study", study)
        assert result.code == 0, result.err
    own = ("--as", "a/lab", "--data", tmp_path / "table.csv")
    sent = ("--yes", "--override", "me", "--out", tmp_path)
    result = cli("contribute", study, *own, *sent)
    assert result.code == 0, result.err
    result = cli("analyse", study, tmp_path / "a.lab.contribution", "--out", tmp_path / "answers")
    assert result.code == 0, result.err
    answer = tmp_path / "answers" / "a.lab.answer"
    result = cli("label", study, answer, *own, "--out", tmp_path / "labels.csv")
    assert result.code == 0, result.err
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 41
    assert not windows.refused
