import os
import stat
from pathlib import Path

import pytest

from consilience.study.files import append_line, create_whole, write_whole

FULL = Path("/dev/full")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_file_appears_whole_and_with_its_mode(tmp_path):
    path = tmp_path / "new" / "file"
    with write_whole(path, 0o640) as stream:
        stream.write(b"half")
        assert not path.exists()
        stream.write(b" and half")
    assert path.read_bytes() == b"half and half"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(path.parent) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_failure_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def fail():
        with write_whole(path) as stream:
            stream.write(b"after")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == ["file"]


def test_name_that_is_a_folder_leaves_nothing_aside(tmp_path):
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError), write_whole(tmp_path / "file") as stream:
        stream.write(b"after")
    assert names(tmp_path) == ["file"]


def test_new_file_never_takes_the_place_of_another(tmp_path, monkeypatch):
    path = tmp_path / "secret"
    create_whole(path, b"first")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        create_whole(path, b"second")
    assert path.read_bytes() == b"first"

    def no_links(*_):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(FileExistsError):
        create_whole(path, b"second")
    create_whole(tmp_path / "other", b"third")
    assert (path.read_bytes(), (tmp_path / "other").read_bytes()) == (b"first", b"third")
    assert names(tmp_path) == ["other", "secret"]


def test_lines_are_appended_one_by_one(tmp_path):
    path = tmp_path / "new" / "lines"
    append_line(path, "one")
    append_line(path, "two ä\n")
    assert path.read_text(encoding="utf-8") == "one\ntwo ä\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_unfinished_line_gives_way_to_the_next(tmp_path):
    path = tmp_path / "lines"
    path.write_text("one\ntw")
    append_line(path, "three")
    assert path.read_text() == "one\nthree\n"


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_full_disk_is_an_error():
    with pytest.raises(OSError, match="No space left"):
        append_line(FULL, "one")
