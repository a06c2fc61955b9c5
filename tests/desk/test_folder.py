import pytest

from consilience.desk.folder import DeskFolder
from consilience.exceptions import StudyError


def test_a_study_gets_a_folder_of_its_own_and_no_two_the_same(tmp_path):
    folder = DeskFolder(tmp_path)
    assert [folder.new("Heart / Lung").name for _ in range(2)] == ["heart-lung", "heart-lung-2"]
    assert folder.new("../../etc/passwd").path.parent == folder.root
    assert folder.new("☃").name == "study"


def test_the_folder_itself_may_be_that_of_a_study(case):
    seats = DeskFolder(case.folder).seats()
    assert [seat.title for seat in seats] == [case.study.name]


@pytest.mark.parametrize("name", ["..", "../x", "private", "", ".desk", "a/../b"])
def test_no_other_name_is_a_study(tmp_path, name):
    (tmp_path / "private").mkdir()
    with pytest.raises(StudyError, match="no study of this name"):
        DeskFolder(tmp_path).seat(name)


def test_a_link_to_elsewhere_is_no_study(tmp_path, case):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "other").symlink_to(case.folder)
    assert DeskFolder(tmp_path / "home").seats() == []


def test_a_study_that_was_sent_is_taken_and_anything_else_refused(tmp_path, case):
    folder = DeskFolder(tmp_path / "home")
    seat = folder.take_study(case.path.read_text(encoding="utf-8"))
    assert seat.study.digest == case.study.digest
    with pytest.raises(StudyError):
        folder.take_study("name = 3")
    assert len(folder.seats()) == 1
