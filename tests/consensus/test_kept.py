import numpy as np
import pytest

from consilience.consensus.kept import Kept
from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.participant import Participant
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100]}
[consensus]
"""
PROMISES = {"promises": np.zeros((1, 4), np.int64), "promised": np.ones((1, 32), np.uint8)}


@pytest.fixture
def kept(tmp_path):
    identity = Identity.new("people/bank")
    public = identity.public
    text = TEXT + f'[keys."people/bank"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    folder = PrivateFolder(tmp_path / "private")
    folder.write_identity(identity)
    return Kept(Participant(Study.from_text(text), "people/bank", folder))


def test_promises_are_kept_until_all_start_over(kept):
    assert kept.promises() is None
    kept.keep_promises(PROMISES)
    np.testing.assert_array_equal(kept.promises()["promised"], PROMISES["promised"])
    secret = kept.secret()
    assert kept.secret() == secret
    kept.start_over()
    assert kept.promises() is None
    assert kept.secret() != secret, "a nonce never hides two things"
    assert kept.path("run").stat().st_mode & 0o077 == 0


def test_damaged_promises_are_not_passed_over(kept):
    kept.keep_promises(PROMISES)
    kept.path("promises").write_bytes(b"nothing")
    with pytest.raises(StudyError, match="is damaged"):
        kept.promises()
