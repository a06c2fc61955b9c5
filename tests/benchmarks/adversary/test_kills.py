"""The campaign of kills: nothing is found here, and what is wrong is told."""

import pytest

from benchmarks.adversary import kills

SCENES = {
    "keygen": kills._Keygen,
    "init": kills._Init,
    "contribute": kills._Contribute,
    "analyse": kills._Analyse,
    "label": kills._Label,
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


@pytest.mark.parametrize("lost", ["ledger", "reduction"])
def test_a_bundle_nobody_knows_is_told(tmp_path, lost):
    scene = kills._Contribute(tmp_path)
    scene.prepare()
    assert scene.problems() == []
    for path in kills.private_folder(scene.path, kills.PARTY).path.glob(f"{lost}*"):
        path.unlink()
    [problem] = scene.problems()
    assert lost in problem
