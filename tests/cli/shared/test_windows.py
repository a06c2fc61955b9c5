"""Files of a folder as windows."""

import pytest

from consilience.cli.shared.windows import number_windows
from consilience.exceptions import StudyError


def test_a_window_keeps_its_number_whatever_comes_later(tmp_path):
    folder, record = tmp_path / "weeks", tmp_path / "windows.json"
    folder.mkdir()
    assert number_windows(folder, record) == []
    (folder / "b.csv").touch()
    number_windows(folder, record)
    (folder / "a.csv").touch()
    (folder / ".half.csv").touch()
    assert [path.name for path in number_windows(folder, record)] == ["b.csv", "a.csv"]


def test_a_damaged_record_is_refused(tmp_path):
    (tmp_path / "windows.json").write_text("[")
    with pytest.raises(StudyError, match="damaged"):
        number_windows(tmp_path, tmp_path / "windows.json")
