"""Which carrier a word means."""

import pytest

from consilience.carriers.folder import Folder
from consilience.carriers.places import open_carrier
from consilience.carriers.store import Store
from consilience.exceptions import StudyError


@pytest.mark.parametrize("where", ["/mnt/share", "share", "C:\\share"])
def test_a_path_is_a_folder(where):
    with open_carrier(where) as carrier:
        assert isinstance(carrier.shelf, Folder)


def test_an_address_is_a_store():
    pytest.importorskip("fsspec")
    with open_carrier("memory://study") as carrier:
        assert isinstance(carrier.shelf, Store)


def test_a_letter_box_needs_somebody_who_signs(case):
    pytest.importorskip("httpx")
    with pytest.raises(StudyError, match="nobody is there to sign"), open_carrier("https://host"):
        pass
    with open_carrier("https://host", case.identities["a/lab"]) as carrier:
        assert type(carrier.shelf).__name__ == "LetterBox"
