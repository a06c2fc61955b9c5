import bagit
import pytest

from consilience.evidence.bag import write_bag, write_folder
from consilience.exceptions import StudyError


def test_a_bag_is_valid_and_notices_a_change(tmp_path):
    source = tmp_path / "copied"
    source.write_bytes(b"content")
    write_bag(tmp_path / "bag", {"a.txt": b"x", "b/c.txt": source}, {"External-Identifier": "y"})
    bag = bagit.Bag(str(tmp_path / "bag"))
    bag.validate()
    assert bag.algorithms == ["sha512"]
    assert bag.info["External-Identifier"] == "y"
    (tmp_path / "bag" / "data" / "a.txt").write_bytes(b"z")
    with pytest.raises(bagit.BagValidationError):
        bagit.Bag(str(tmp_path / "bag")).validate()


def test_a_folder_that_exists_is_never_changed(tmp_path):
    with pytest.raises(StudyError, match="an export is never overwritten"):
        write_folder(tmp_path, {"a": b""})
    with pytest.raises(FileNotFoundError):
        write_folder(tmp_path / "new", {"a": b"", "b": tmp_path / "nothing"})
    assert not list(tmp_path.iterdir())
