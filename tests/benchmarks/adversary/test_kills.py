"""The campaign of kills: nothing is found here, and what is wrong is told."""

import pytest

from benchmarks.adversary import kills
from consilience.exceptions import StudyError

SCENES = {
    "keygen": kills._Keygen,
    "init": kills._Init,
    "contribute": kills._Contribute,
    "analyse": kills._Analyse,
    "label": kills._Label,
    "contribute in parts": kills._ContributeInParts,
    "label in parts": kills._LabelInParts,
}


def test_a_share_of_it_finds_nothing():
    found = list(kills.attempt(0.02, 1))
    assert len(found) == len(SCENES)
    assert not sum(tried.failures for tried in found)


def test_a_role_without_its_key_is_told(tmp_path):
    scene = kills._Keygen(tmp_path)
    scene.prepare()
    assert kills.run(scene.command()).code == 0
    assert scene.problems() == []
    scene.path.write_text(scene.bare)
    assert scene.problems() == ["the study lacks the key"]


def test_a_bundle_nobody_knows_is_told(tmp_path):
    scene = kills._Contribute(tmp_path)
    scene.prepare()
    assert scene.problems() == []
    private = kills.private_folder(scene.path, kills.PARTY).path
    for path in private.glob("ledger*"):
        path.unlink()
    assert scene.problems() == ["the ledger does not know the bundle"]
    for path in private.glob("reduction-*"):
        path.unlink()
    with pytest.raises(StudyError, match="is missing"):
        scene.problems()


def test_rows_left_behind_are_told(tmp_path):
    scene = kills._ContributeInParts(tmp_path)
    with kills._large_from(scene.large_bytes):
        scene.prepare()
    assert scene.meanwhile() == []
    (kills.private_folder(scene.path, kills.PARTY).path / "tmpabc").touch()
    assert scene.meanwhile() == ["left behind: tmpabc"]
