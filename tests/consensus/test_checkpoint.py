import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.arrays import from_bytes, to_bytes
from consilience.consensus.checkpoint import CHECKPOINT, restore_peer, write_checkpoint
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import StudyError
from consilience.messages import Roster

NAMES = ("a", "b", "c")
X = np.random.default_rng(0).normal(size=(30, 2))


def make(k=3, **changes):
    return Peer("a", NAMES, X, ConsensusTerms(**changes), LocalStep(KMeans(k)), study="s")


def test_what_was_said_is_written_once_and_said_again_to_all():
    one, two = make(), make()
    first = one.begin()
    data = write_checkpoint(one)
    assert sum(name.startswith("said") for name in from_bytes(data)[1]) == 1
    assert restore_peer(two, data)
    again = two.begin()
    assert {m.recipient for m in again} == {m.recipient for m in first} == {"b", "c"}
    assert {m.digest.tobytes() for m in again} == {m.digest.tobytes() for m in first}


def test_what_was_said_to_each_alone_is_said_again_to_each():
    """Rosters tell every peer the rows in which it differs from this one."""
    ids, rng = {"a": range(30), "b": range(1, 31), "c": range(2, 32)}, np.random.default_rng(1)
    codes = rng.integers(256, size=(32, 16), dtype=np.uint8)
    roles = {
        name: Peer(
            *(name, NAMES, X, ConsensusTerms(), LocalStep(KMeans(3))),
            pseudonyms=codes[list(own)],
            secret=b"s",
        )
        for name, own in ids.items()
    }
    outlines = [m for name in "bc" for m in roles[name].begin() if m.recipient == "a"]
    one = roles["a"]
    said = [*one.begin(), *(answer for m in outlines for answer in one.receive(m))]
    rosters = [m for m in said if isinstance(m, Roster)]
    assert {m.recipient for m in rosters} == {"b", "c"}
    two = Peer(
        *("a", NAMES, X, ConsensusTerms(), LocalStep(KMeans(3))), pseudonyms=codes[:30], secret=b"s"
    )
    assert restore_peer(two, write_checkpoint(one))
    again = {m.recipient: m for m in two.begin() if isinstance(m, Roster)}
    for message in rosters:
        np.testing.assert_array_equal(again[message.recipient].pseudonyms, message.pseudonyms)


@pytest.mark.parametrize("other", [{"k": 4}, {"ranking": "median"}])
def test_with_other_settings_nothing_is_taken_up(other):
    one = make()
    one.begin()
    with pytest.raises(StudyError, match="made with other settings"):
        restore_peer(make(**other), write_checkpoint(one))


def test_how_long_to_wait_is_no_setting_of_the_result():
    one = make()
    one.begin()
    assert restore_peer(make(timeout=5.0, deadline=9.0), write_checkpoint(one))


def test_a_checkpoint_of_another_version_is_left_alone():
    assert not restore_peer(make(), to_bytes({"attempt": np.zeros(1)}))


@pytest.mark.parametrize(
    "data", [b"nothing", to_bytes({}, {"checkpoint": CHECKPOINT, "recipients": [["b"]]})]
)
def test_a_damaged_checkpoint_is_named(data):
    with pytest.raises(StudyError, match="cannot be read: delete it"):
        restore_peer(make(), data)
