import numpy as np
import pytest

from consilience.consensus.protocol.guards import GUARDED_ROWS, fault, offenders
from consilience.consensus.protocol.terms import Terms
from consilience.exceptions import PeerError

TERMS = Terms(("a", "b"), max_labels=200)
GOOD, BAD = np.arange(100) % 3, np.arange(100)


def test_only_the_first_iteration_and_larger_tables_are_guarded():
    assert fault(BAD, 1, TERMS)
    assert fault(BAD, 2, TERMS) is None
    assert fault(np.arange(GUARDED_ROWS), 1, TERMS) is None
    assert fault(GOOD, 1, TERMS) is None


def test_the_culprit_is_named_or_set_aside():
    with pytest.raises(PeerError, match="b leaves 100 of 100") as caught:
        offenders({"a": GOOD, "b": BAD}, 1, TERMS)
    assert caught.value.peers == ("b",)
    terms = Terms(("a", "b"), when_guarded="exclude")
    assert list(offenders({"a": GOOD, "b": BAD}, 1, terms)) == ["b"]
    with pytest.raises(PeerError, match="every peer"):
        offenders({"a": BAD, "b": BAD}, 1, terms)


def test_a_peer_alone_is_its_own_judge():
    assert offenders({"a": BAD}, 1, TERMS) == {}
