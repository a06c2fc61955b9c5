from dataclasses import replace

import numpy as np
import pytest

from consilience.consensus.protocol.stories import Commitments, compare_stories
from consilience.exceptions import MessageError, PeerError
from consilience.messages import Commitment

MEMBERS = ("a", "b", "c")
MESSAGE = Commitment(
    study="s",
    sender="c",
    recipient="a",
    iteration=2,
    attempt=0,
    phase="labels",
    digest=np.ones(32, dtype=np.uint8),
    commitments=np.zeros((3, 2, 32), dtype=np.uint8),
)


def heard(**digests):
    book = Commitments()
    for key, n in digests.items():
        book.note_own(*key.split("_"), np.full(32, n, dtype=np.uint8))
    return book.listed(MEMBERS)


def test_only_commitments_both_have_heard_are_compared():
    ours, theirs = heard(a_labels=1, b_labels=2), heard(a_labels=1, c_ranking=3)
    compare_stories(ours, theirs, MEMBERS, "a", "b", 1)
    compare_stories(ours, theirs[:2], MEMBERS, "a", "b", 1)


def test_whoever_told_two_stories_is_named():
    ours, theirs = heard(c_labels=1), heard(c_labels=2)
    with pytest.raises(
        PeerError, match="c told a and b different stories in iteration 4"
    ) as caught:
        compare_stories(ours, theirs, MEMBERS, "a", "b", 4)
    assert caught.value.peers == ("c",)


def test_labels_may_not_change_when_an_iteration_is_run_again():
    book = Commitments()
    book.note(MESSAGE)
    book.begin_iteration()
    book.go_back_to(2)
    book.note(replace(MESSAGE, attempt=1))
    with pytest.raises(MessageError, match="may not change"):
        book.note(replace(MESSAGE, attempt=1, digest=np.zeros(32, dtype=np.uint8)))


@pytest.mark.parametrize("iteration", [0, 1])
def test_promises_for_other_rows_no_longer_hold(iteration):
    book = Commitments()
    book.note(MESSAGE)
    book.go_back_to(iteration)
    book.note(replace(MESSAGE, digest=np.zeros(32, dtype=np.uint8)))
