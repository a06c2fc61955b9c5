import numpy as np
import pytest

from consilience.consensus.protocol.memory import Memory
from consilience.consensus.protocol.shared_state import first_state
from consilience.exceptions import StudyError

PEERS = ("a", "b", "c")
MEMORY = Memory(
    table=b"t",
    settings=b"s",
    secret=b"x",
    members=("a", "c"),
    attempt=1,
    done=False,
    places=np.arange(3),
    promises={"promises": np.zeros((0, 4), np.int64), "promised": np.zeros((0, 32), np.uint8)},
    state=first_state(3),
    previous=None,
)


def test_what_is_kept_is_what_was_there():
    again = Memory.from_arrays(MEMORY.to_arrays(PEERS), PEERS, ())
    assert (again.members, again.attempt, again.done) == (("a", "c"), 1, False)
    assert (again.table, again.settings, again.secret) == (b"t", b"s", b"x")
    assert again.previous is None
    np.testing.assert_array_equal(again.state.parent, np.arange(3))


@pytest.mark.parametrize("gone", ["members", "state.active", "promised", None])
def test_what_belongs_to_other_peers_is_refused(gone):
    arrays = {name: array for name, array in MEMORY.to_arrays(PEERS).items() if name != gone}
    with pytest.raises(StudyError, match="delete it to start over"):
        Memory.from_arrays(arrays, PEERS if gone else PEERS[:2], ())
