"""A folder that several reach."""

import pytest

from consilience.carriers.folder import Folder
from consilience.exceptions import CarrierError


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(CarrierError, match=r"there is no folder .*Make it, or mount it"):
        Folder(tmp_path / "gone").find()


def test_what_is_being_written_is_hidden(tmp_path):
    shelf = Folder(tmp_path)
    shelf.write("a/b/00000", b"whole")
    (tmp_path / "a" / "b" / ".00001.tmp").write_bytes(b"half")
    assert shelf.find() == {"a/b/00000": 5}


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(CarrierError, match="is not in"):
        Folder(tmp_path).read("a/b")
