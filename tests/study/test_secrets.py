import stat

import numpy as np
import pytest
from safetensors.numpy import save_file

from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.keys import new_key
from consilience.study.secrets import PrivateFolder, holds_secrets


@pytest.fixture
def folder(tmp_path):
    return PrivateFolder(tmp_path / "private" / "a.lab")


def test_secrets_come_back_and_are_their_owners_alone(folder):
    key, identity = new_key(), Identity.new("a/lab")
    folder.write_key("column", key)
    folder.write_identity(identity)
    folder.write_state("reduction", {"mean": np.arange(3.0)}, "digest", "sent")
    assert folder.read_key("column") == key
    assert folder.read_identity("a/lab").public == identity.public
    assert folder.read_state("reduction", "digest", "sent")["mean"].tolist() == [0, 1, 2]
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in folder.path.iterdir()} == {0o600}


def test_secrets_are_never_overwritten(folder):
    folder.write_key("row", bytes(32))
    folder.write_identity(Identity.new("a/lab"))
    before = {p: p.read_bytes() for p in folder.path.iterdir()}
    with pytest.raises(StudyError, match="never overwritten"):
        folder.write_key("row", new_key())
    with pytest.raises(StudyError, match="never overwritten"):
        folder.write_identity(Identity.new("a/lab"))
    with pytest.raises(StudyError, match="never overwritten"):
        folder.refuse_to_replace("column.key", "row.key")
    folder.refuse_to_replace("column.key")
    assert {p: p.read_bytes() for p in folder.path.iterdir()} == before


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o620])
def test_secrets_open_to_others_are_refused(folder, mode):
    folder.write_key("row", bytes(32))
    (folder.path / "row.key").chmod(mode)
    with pytest.raises(StudyError, match="run chmod 600"):
        folder.read_key("row")


def test_a_ledger_or_state_open_to_others_is_refused(folder):
    folder.ledger.add("contribution")
    folder.write_state("reduction", {"mean": np.ones(3)}, "digest", "sent")
    for path in folder.path.glob("*"):
        path.chmod(0o640)
    for look in (folder.ledger.entries, lambda: folder.read_state("reduction", "digest", "sent")):
        with pytest.raises(StudyError, match="can be read by others"):
            look()


def test_the_first_who_asks_makes_the_identity(folder):
    first = folder.identity_of("a/lab")
    assert folder.identity_of("a/lab").public == first.public
    with pytest.raises(StudyError, match="holds the identity of"):
        folder.identity_of("b/lab")


def test_a_folder_with_secrets_is_known(folder, tmp_path):
    assert not holds_secrets(folder.path)
    folder.path.mkdir(parents=True)
    assert not holds_secrets(folder.path)
    folder.write_key("row", bytes(32))
    assert holds_secrets(folder.path)
    (tmp_path / "ledger.jsonl").touch()
    assert holds_secrets(tmp_path)


def test_missing_and_damaged_secrets_are_refused_without_showing_them(folder):
    with pytest.raises(StudyError, match=r"row\.key is missing"):
        folder.read_key("row")
    folder.write_key("row", b"\xab" * 32)
    path = folder.path / "row.key"
    for text in ("", "ab" * 31, "ab" * 33, "xy" * 32, "# nothing\n"):
        path.write_text(text)
        with pytest.raises(StudyError, match="damaged") as caught:
            folder.read_key("row")
        assert "abab" not in str(caught.value)
    path.write_bytes(b"\xff\xfe" * 32)
    with pytest.raises(StudyError, match="damaged"):
        folder.read_key("row")


def test_identity_of_another_role_is_refused(folder):
    folder.write_identity(Identity.new("a/life"))
    with pytest.raises(StudyError, match="holds the identity of 'a/life', not of 'a/lab'"):
        folder.read_identity("a/lab")


def test_state_of_another_study_or_damaged_is_refused(folder):
    with pytest.raises(StudyError, match="is missing: it is kept by"):
        folder.read_state("reduction", "digest", "sent")
    folder.write_state("reduction", {"mean": np.ones(3)}, "digest", "sent")
    with pytest.raises(StudyError, match="kept for another study"):
        folder.read_state("reduction", "other", "sent")
    with pytest.raises(StudyError, match="is missing"):
        folder.read_state("reduction", "digest", "another")
    path = folder.path / "reduction-sent.safetensors"
    path.rename(folder.path / "reduction.safetensors")
    with pytest.raises(StudyError, match="kept for another contribution"):
        folder.read_state("reduction", "digest", "sent later")
    path = folder.path / "reduction.safetensors"
    for data in (b"", b"\xff" * 40, path.read_bytes()[:-3]):
        path.write_bytes(data)
        with pytest.raises(StudyError, match="damaged"):
            folder.read_state("reduction", "digest", "sent")


def test_state_of_every_contribution_is_kept(folder):
    for k in range(3):
        folder.write_state("reduction", {"mean": np.full(1, k)}, "digest", f"sent {k}")
    kept = [folder.read_state("reduction", "digest", f"sent {k}")["mean"][0] for k in range(3)]
    assert kept == [0, 1, 2]


def test_state_kept_by_an_earlier_version_is_read(folder):
    folder.path.mkdir(parents=True)
    about = {"study": "digest", "contribution": "sent"}
    save_file({"mean": np.ones(3)}, folder.path / "reduction.safetensors", metadata=about)
    (folder.path / "reduction.safetensors").chmod(0o600)
    assert folder.read_state("reduction", "digest", "sent")["mean"].tolist() == [1, 1, 1]
