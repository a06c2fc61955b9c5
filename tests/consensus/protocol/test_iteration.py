import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import PeerError
from consilience.messages import Commitment, Failure, LocalLabels, Roster, StateDigest
from consilience.transports import deliver

X = np.random.default_rng(0).normal(size=(60, 4))


def make(*names, X=X, ids=None, unmatched="drop", **terms):
    """Make peers that hold the same columns; of rows with these ids, if any are given."""
    codes = [None] * len(names)
    if ids is not None:
        codes = [np.zeros((len(own), 16), dtype=np.uint8) for own in ids]
        for code, own in zip(codes, ids, strict=True):
            code[:, 15] = own
    step, agreed = LocalStep(KMeans(3)), ConsensusTerms(**terms)
    return [
        Peer(name, names, X, agreed, step, pseudonyms=code, unmatched=unmatched)
        for name, code in zip(names, codes, strict=True)
    ]


def test_a_peer_alone_needs_no_messages():
    (peer,) = make("a")
    assert peer.begin() == []
    assert peer.done
    assert peer.labels.max() == 2


def test_steps_follow_each_other_by_hand():
    a, b = make("a", "b", max_iter=1)
    (first_a,), (first_b,) = a.begin(), b.begin()
    assert isinstance(first_a, Commitment)
    assert a.waiting_for == ("b",)
    (labels_b,) = b.receive(first_a)
    assert isinstance(labels_b, LocalLabels)
    (labels_a,) = a.receive(first_b)
    (rank_commit_a,) = a.receive(labels_b)
    assert (rank_commit_a.phase, a.iteration) == ("ranking", 1)
    (rank_commit_b,) = b.receive(labels_a)
    (ranking_a,) = a.receive(rank_commit_b)
    (ranking_b,) = b.receive(rank_commit_a)
    (digest_a,) = a.receive(ranking_b)
    assert isinstance(digest_a, StateDigest)
    (digest_b,) = b.receive(ranking_a)
    assert not a.done
    assert a.receive(digest_b) == []
    assert b.receive(digest_a) == []
    assert a.done
    np.testing.assert_array_equal(a.labels, b.labels)


def test_nothing_is_revealed_before_every_commitment_is_there():
    a, b, c = make("a", "b", "c")
    a.begin()
    to_a_from_b = next(m for m in b.begin() if m.recipient == "a")
    to_a_from_c = next(m for m in c.begin() if m.recipient == "a")
    assert a.receive(to_a_from_b) == []
    assert all(isinstance(m, LocalLabels) for m in a.receive(to_a_from_c))


def test_peers_without_common_rows_are_told_where_to_look():
    a, b = make("a", "b", X=X[:5], ids=[range(5), range(50, 55)])
    with pytest.raises(PeerError, match="same row key"):
        deliver(a.begin() + b.begin(), {"a": a, "b": b})


def test_a_roster_with_a_row_twice_is_refused():
    a, _ = make("a", "b", X=X[:5], ids=[range(5), range(5)])
    a.begin()
    twice = np.zeros((2, 16), dtype=np.uint8)
    header = {"study": "", "sender": "b", "recipient": "a", "iteration": 0, "attempt": 0}
    (refusal,) = a.receive(Roster(**header, pseudonyms=twice))
    assert isinstance(refusal, Failure)
    assert "ascend" in refusal.reason


def test_rows_not_all_hold_end_the_run_if_the_study_says_so():
    roles = make("a", "b", X=X[:5], ids=[range(5), range(1, 6)], unmatched="refuse")
    with pytest.raises(PeerError, match="1 of a, 1 of b are rows that not all peers hold"):
        deliver([m for r in roles for m in r.begin()], {r.name: r for r in roles})


def test_with_the_same_rows_at_all_nothing_is_unmatched():
    roles = make(
        "a", "b", X=X[:5], ids=[range(5), range(4, -1, -1)], unmatched="refuse", max_iter=1
    )
    deliver([m for r in roles for m in r.begin()], {r.name: r for r in roles})
    assert all(role.done for role in roles)
