import json

import pyrage
import pytest

from consilience.exceptions import StudyError
from consilience.study.backup import open_backup, seal_backup
from consilience.study.identity import Identity
from consilience.study.secrets import PrivateFolder

WORDS = "five plain words are fine"


@pytest.fixture
def folder(tmp_path):
    folder = PrivateFolder(tmp_path / "here")
    folder.write_identity(Identity.new("a/lab"))
    folder.write_key("row", bytes(32))
    folder.ledger.add("contribution", to="analyst")
    return folder


def test_every_secret_comes_back_and_nothing_else(folder, tmp_path):
    sealed = seal_backup(folder, WORDS)
    assert b"identity" not in sealed
    there = PrivateFolder(tmp_path / "there")
    assert open_backup(sealed, WORDS, there) == ["identity.toml", "row.key"]
    assert there.read_key("row") == bytes(32)
    assert there.read_identity("a/lab").public == folder.read_identity("a/lab").public


def test_nothing_is_overwritten(folder):
    with pytest.raises(StudyError, match="never overwritten"):
        open_backup(seal_backup(folder, WORDS), WORDS, folder)


def test_another_passphrase_and_a_short_one_are_refused(folder, tmp_path):
    with pytest.raises(StudyError, match="12 or more"):
        seal_backup(folder, "short")
    with pytest.raises(StudyError, match="another one"):
        open_backup(seal_backup(folder, WORDS), WORDS + "!", PrivateFolder(tmp_path / "there"))


@pytest.mark.parametrize("name", ["../row.key", "/tmp/row.key", "ledger.jsonl", "x/row.key"])
def test_a_back_up_writes_nothing_elsewhere(tmp_path, name):
    sealed = pyrage.passphrase.encrypt(json.dumps({name: "x"}).encode(), WORDS)
    with pytest.raises(StudyError, match="no back-up"):
        open_backup(sealed, WORDS, PrivateFolder(tmp_path / "there"))
    assert not (tmp_path / "there").exists()
