import numpy as np
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.state import first_state
from consilience.consensus.protocol.terms import Terms

X = np.array([[1.0, 0.0], [1.0, 0.1], [1.0, 0.2], [-1.0, 0.0], [-1.0, 0.1]])
STEP = LocalStep(KMeans(2))


def test_an_iteration_by_hand():
    own = Deliberation(X, STEP, Terms(("a", "b")), "a", first_state(5))
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
    terms = Terms(("a", "b"), when_guarded="exclude")
    own = Deliberation(big, STEP, terms, "a", first_state(100))
    own.agree({"b": np.arange(100)})
    assert own.consensus.max() == 1
    assert list(own.faults) == ["b"]
    own.rank()
    assert own.conclude({"b": own.rows[::-1]}).excluded == ("b",)
