"""Which carrier a word means."""

import pytest

from consilience.carriers.folder import Folder
from consilience.carriers.places import open_carrier
from consilience.carriers.store import Store


@pytest.mark.parametrize("where", ["/mnt/share", "share", "C:\\share"])
def test_a_path_is_a_folder(where):
    assert isinstance(open_carrier(where).shelf, Folder)


def test_an_address_is_a_store():
    pytest.importorskip("fsspec")
    assert isinstance(open_carrier("memory://study").shelf, Store)
