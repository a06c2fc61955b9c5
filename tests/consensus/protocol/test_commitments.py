from dataclasses import replace

import numpy as np
import pytest

from consilience.consensus.protocol.commitments import Commitments, commit
from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import PeerError, StudyError
from consilience.messages import Commitment, LocalLabels

MEMBERSHIP = Membership("a", ("a", "b", "c"))
HEADER = {"study": "s", "sender": "c", "recipient": "a", "iteration": 2, "attempt": 0}
MESSAGE = Commitment(
    **HEADER,
    phase="labels",
    digest=np.ones(32, dtype=np.uint8),
    heard=np.zeros((3, 32), dtype=np.uint8),
)


def book(secret=b"secret", **digests):
    made = Commitments(MEMBERSHIP, secret)
    for key, n in digests.items():
        made.note(*key.split("_"), np.full(32, n, dtype=np.uint8), iteration=2)
    return made


def test_a_commitment_binds_everything_but_the_recipient_and_the_attempt():
    message = LocalLabels(
        **HEADER, n_labels=3, packed=np.arange(5, dtype=np.uint8), nonce=book().nonce("labels 1")
    )
    base = bytes(commit(message))
    assert bytes(commit(replace(message, recipient="b", attempt=4))) == base
    for change in (
        {"study": "t"},
        {"sender": "b"},
        {"iteration": 3},
        {"n_labels": 4},
        {"packed": np.arange(1, 6, dtype=np.uint8)},
        {"nonce": book(b"other").nonce("labels 1")},
    ):
        assert bytes(commit(replace(message, **change))) != base


def test_a_nonce_is_the_same_after_a_restart_and_serves_one_purpose():
    one = bytes(book().nonce("labels 1"))
    assert bytes(book().nonce("labels 1")) == one
    assert bytes(book().nonce("labels 2")) != one


def test_labels_may_not_change_when_an_iteration_is_run_again():
    kept = book()
    kept.take(MESSAGE)
    kept.begin_iteration()
    kept.go_back_to(2)
    kept.take(replace(MESSAGE, attempt=1))
    with pytest.raises(PeerError, match="c promised one labels in iteration 2") as caught:
        kept.take(replace(MESSAGE, attempt=1, digest=np.zeros(32, dtype=np.uint8)))
    assert caught.value.peers == ("c",)


@pytest.mark.parametrize("iteration", [0, 1])
def test_promises_for_other_rows_no_longer_hold(iteration):
    kept = book()
    kept.take(MESSAGE)
    kept.go_back_to(iteration)
    other = np.zeros(32, dtype=np.uint8)
    assert kept.take(replace(MESSAGE, digest=other)) is other


def test_a_roster_outlives_the_iterations():
    kept = book(c_labels=1, c_roster=2)
    kept.begin_iteration()
    assert not kept.of("c", "labels").any()
    assert kept.of("c", "roster").tolist() == [2] * 32


def test_promises_outlive_a_restart_and_bind_this_peer_too():
    kept, again = book(a_labels=1, c_ranking=3), book()
    kept.note("c", "roster", np.full(32, 5, dtype=np.uint8), 0)
    again.hold_to(kept.promises())
    assert again.of("c", "roster").tolist() == [5] * 32
    with pytest.raises(StudyError, match="a now sends another labels"):
        again.note("a", "labels", np.zeros(32, dtype=np.uint8), 2)
    with pytest.raises(PeerError, match="c promised one ranking"):
        again.note("c", "ranking", np.zeros(32, dtype=np.uint8), 2)
    with pytest.raises(PeerError, match="c promised one roster"):
        again.note("c", "roster", np.zeros(32, dtype=np.uint8), 0)
