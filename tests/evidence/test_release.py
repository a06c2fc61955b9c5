import pytest

from consilience.evidence.release import seal_release
from consilience.evidence.statement import Circumstances
from consilience.study.together import replace_together
from consilience.transports.bundle import manifest_of, read_bundle

PARTY, KNOWN = "a/lab", Circumstances("contribution")


@pytest.fixture
def letter(case):
    [letter] = case.leaving(PARTY).letters
    return letter


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_bundle_and_statement_appear_together_or_not_at_all(case, letter, tmp_path):
    me, path = case.participant(PARTY), tmp_path / "out" / "x.contribution"
    manifest = manifest_of(letter.message, case.study, "a test")

    def fail():
        with replace_together(path.parent) as opened:
            seal_release(opened, path.name, me, letter.message, manifest, KNOWN)
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        fail()
    assert names(path.parent) == []
    with replace_together(path.parent) as opened:
        envelope = seal_release(opened, path.name, me, letter.message, manifest, KNOWN)
    endings = ("", ".statement.json", ".statement.txt")
    assert names(path.parent) == [f"x.contribution{ending}" for ending in endings]
    assert envelope.is_signed_by(case.identities[PARTY].public)
    read_bundle(path, study=case.study, identity=case.identities["analyst"])
