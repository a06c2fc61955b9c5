import numpy as np
import pytest

from consilience.collaboration import Party
from consilience.exceptions import MessageError
from consilience.messages import Answer, Failure

RNG = np.random.default_rng(0)
ANCHOR = RNG.normal(size=(20, 3))


def answer(n, study="s"):
    return Answer(
        study=study, sender="analyst", recipient="a/x", labels=np.zeros(n, np.int64), n_clusters=1
    )


def test_what_leaves_is_reduced_and_carries_no_row():
    X = RNG.normal(size=(9, 3))
    (sent,) = Party("a/x", ANCHOR, study="s", rng=RNG).begin(X)
    assert sent.representation.shape == (9, 2)
    assert (sent.study, sent.sender, sent.recipient) == ("s", "a/x", "analyst")
    for column in X.T:
        assert not any(np.allclose(column, c) for c in sent.representation.T)


def test_anchor_and_rows_go_through_the_same_reduction():
    (sent,) = Party("a/x", ANCHOR, rng=RNG).begin(ANCHOR)
    np.testing.assert_allclose(sent.representation, sent.anchor)


def test_answer_is_kept():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    party.begin(RNG.normal(size=(4, 3)))
    assert party.receive(answer(4)) == []
    assert party.answer.labels.tolist() == [0, 0, 0, 0]


def test_answer_for_another_study_is_refused():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    party.begin(RNG.normal(size=(4, 3)))
    with pytest.raises(MessageError, match="takes part in 's'"):
        party.receive(answer(4, study="other"))


def test_answer_for_another_number_of_rows_is_refused():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    party.begin(RNG.normal(size=(4, 3)))
    with pytest.raises(MessageError, match="sent 4 rows and received 5 labels"):
        party.receive(answer(5))


def test_refusal_of_the_analyst_is_told():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    failure = Failure(study="s", sender="analyst", recipient="a/x", reason="another anchor")
    with pytest.raises(MessageError, match="analyst refused: another anchor"):
        party.receive(failure)


def test_message_of_another_kind_is_refused():
    party = Party("a/x", ANCHOR, rng=RNG)
    (own,) = party.begin(RNG.normal(size=(4, 3)))
    with pytest.raises(MessageError, match="cannot use a Contribution"):
        party.receive(own)


def test_asking_before_contributing_is_refused():
    with pytest.raises(MessageError, match="contribute before asking"):
        Party("a/x", ANCHOR, rng=RNG).ask(np.ones((1, 3)))
