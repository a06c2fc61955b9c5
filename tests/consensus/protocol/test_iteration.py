import numpy as np
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.messages import Commitment, LocalLabels, StateDigest

X = np.random.default_rng(0).normal(size=(60, 4))


def make(*names, **terms):
    """Make peers that hold the same columns."""
    step, agreed = LocalStep(KMeans(3)), ConsensusTerms(**terms)
    return [Peer(name, names, X, agreed, step) for name in names]


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
