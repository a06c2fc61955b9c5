from dataclasses import replace

import numpy as np
import pytest

from consilience.consensus.protocol.shared_state import (
    attach,
    first_state,
    from_arrays,
    is_final,
)
from consilience.consensus.terms import ConsensusTerms

TERMS = ConsensusTerms(max_iter=3)


def test_two_iterations_by_hand():
    one = attach(first_state(5), np.array([0, 1, 0, 1, 2]), np.array([2, 1, 4]))
    assert one.active.tolist() == [1, 2, 4]
    assert one.parent.tolist() == [2, 1, 2, 1, 4]
    two = attach(one, np.array([0, 0, 1]), np.array([1, 2]))
    assert two.active.tolist() == [2, 4]
    assert two.parent.tolist() == [2, 2, 2, 1, 4]
    assert two.joined.tolist() == [1, 2, 0, 1, 0]


def test_the_end_is_when_nothing_joins_or_time_is_up():
    start = first_state(3)
    alone = attach(start, np.arange(3), np.arange(3))
    joined = attach(start, np.array([0, 0, 1]), np.array([0, 2]))
    assert is_final(start, alone, TERMS)
    assert not is_final(start, joined, TERMS)
    assert is_final(start, joined, ConsensusTerms(max_iter=1))
    assert is_final(start, joined, ConsensusTerms(veto="persistent"))
    assert is_final(start, attach(start, np.zeros(3, dtype=np.int64), np.array([1])), TERMS)


def test_the_digest_covers_everything_peers_must_agree_on():
    state = attach(first_state(4), np.array([0, 0, 1, 1]), np.array([1, 2]))
    digests = {
        bytes(s.digest(members))
        for s, members in [
            (state, ("a", "b")),
            (state, ("a", "c")),
            (replace(state, excluded=("a",)), ("a", "b")),
            (replace(state, iteration=7), ("a", "b")),
            (replace(state, active=state.active + 1), ("a", "b")),
            (replace(state, parent=state.parent + 1), ("a", "b")),
            (replace(state, joined=state.joined + 1), ("a", "b")),
        ]
    }
    assert len(digests) == 7


def test_a_state_comes_back_from_its_arrays():
    state = replace(
        attach(first_state(4), np.array([0, 0, 1, 1]), np.array([1, 2])), excluded=("b",)
    )
    peers = ("a", "b", "c")
    arrays = state.to_arrays("state", peers)
    assert bytes(from_arrays(arrays, "state", peers).digest(peers)) == bytes(state.digest(peers))
    assert from_arrays(arrays, "previous", peers) is None
    with pytest.raises(ValueError, match="zip"):
        from_arrays(arrays, "state", peers[:2])
