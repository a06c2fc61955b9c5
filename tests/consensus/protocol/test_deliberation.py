import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.deliberation import (
    GUARDED_ROWS,
    Deliberation,
    fault,
    offenders,
)
from consilience.consensus.protocol.shared_state import first_state
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import PeerError

X = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 0.2], [-1.0, 0.0], [-1.0, 0.1]])
STEP = LocalStep(KMeans(2))
TERMS = ConsensusTerms(max_labels=200)
GOOD, BAD = np.arange(100) % 3, np.arange(100)


def test_an_iteration_by_hand():
    own = Deliberation("a", ("a", "b"), X, ConsensusTerms(), STEP, first_state(5))
    assert own.labels.tolist() == [0, 0, 0, 1, 1]
    own.agree({"b": np.array([0, 0, 0, 0, 1])})
    assert own.consensus.tolist() == [0, 0, 0, 1, 2]
    assert own.rows.tolist() == [0, 1, 2]
    assert own.rank().tolist() == [1, 2, 0]
    state = own.conclude({"b": np.array([1, 2, 0])})
    assert state.active.tolist() == [1, 3, 4]
    assert state.parent.tolist() == [1, 1, 1, 3, 4]


def test_an_excluded_peer_neither_votes_nor_ranks():
    big = np.repeat(X, 20, axis=0)
    terms = ConsensusTerms(when_guarded="exclude")
    own = Deliberation("a", ("a", "b"), big, terms, STEP, first_state(100))
    own.agree({"b": np.arange(100)})
    assert own.consensus.max() == 1
    assert list(own.faults) == ["b"]
    own.rank()
    assert own.conclude({"b": own.rows[::-1]}).excluded == ("b",)


def test_only_the_first_iteration_and_larger_tables_are_guarded():
    assert fault(BAD, 1, TERMS)
    assert fault(BAD, 2, TERMS) is None
    assert fault(np.arange(GUARDED_ROWS), 1, TERMS) is None
    assert fault(GOOD, 1, TERMS) is None


def test_pairs_are_a_fault_and_noise_beside_a_group_is_none():
    assert "2.0 rows in the group of a row" in fault(np.arange(400) // 2, 1, TERMS)
    noise = np.r_[np.zeros(60, dtype=int), np.arange(1, 341)]
    assert fault(noise, 1, ConsensusTerms()) is None


def test_the_culprit_is_named_or_set_aside():
    with pytest.raises(PeerError, match="b leaves 100 of 100") as caught:
        offenders({"a": GOOD, "b": BAD}, 1, TERMS)
    assert caught.value.peers == ("b",)
    terms = ConsensusTerms(when_guarded="exclude")
    assert list(offenders({"a": GOOD, "b": BAD}, 1, terms)) == ["b"]
    with pytest.raises(PeerError, match="every peer"):
        offenders({"a": BAD, "b": BAD}, 1, terms)


def test_a_peer_alone_is_its_own_judge():
    assert offenders({"a": BAD}, 1, TERMS) == {}
