import numpy as np
import pytest

from consilience.arrays import from_bytes, to_bytes
from consilience.consensus.protocol.checkpoint import Memory, from_arrays, to_arrays
from consilience.consensus.protocol.state import attach, first_state
from consilience.exceptions import StudyError

PEERS = ("a", "b", "c")
STATE = attach(first_state(4), np.array([0, 0, 1, 1]), np.array([1, 2]))
MEMORY = Memory(
    b"secret" * 5,
    2,
    ("a", "c"),
    False,
    b"t" * 32,
    np.arange(4),
    np.zeros((2, 2, 32), dtype=np.uint8),
    STATE,
    first_state(4),
)


def test_a_memory_comes_back_from_bytes():
    again = from_arrays(from_bytes(to_bytes(to_arrays(MEMORY, PEERS)))[1], PEERS)
    assert (again.secret, again.attempt, again.members, again.done) == (
        MEMORY.secret,
        2,
        ("a", "c"),
        False,
    )
    assert bytes(again.state.digest(PEERS)) == bytes(STATE.digest(PEERS))
    assert again.previous.iteration == 0


def test_a_checkpoint_of_other_peers_is_refused():
    with pytest.raises(StudyError, match="delete it to start over"):
        from_arrays(to_arrays(MEMORY, PEERS), ("a", "b"))
    with pytest.raises(StudyError, match="delete it"):
        from_arrays({}, PEERS)
