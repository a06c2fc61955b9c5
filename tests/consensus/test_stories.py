import numpy as np
import pytest

from consilience.consensus.stories import compare_stories, list_commitments
from consilience.exceptions import PeerError

MEMBERS = ("a", "b", "c")


def digest(n):
    return np.full(32, n, dtype=np.uint8)


def test_only_commitments_both_have_heard_are_compared():
    ours = list_commitments({("a", "labels"): digest(1), ("b", "labels"): digest(2)}, MEMBERS)
    theirs = list_commitments({("a", "labels"): digest(1), ("c", "ranking"): digest(3)}, MEMBERS)
    compare_stories(ours, theirs, MEMBERS, "a", "b", 1)
    compare_stories(ours, theirs[:2], MEMBERS, "a", "b", 1)


def test_whoever_told_two_stories_is_named():
    ours = list_commitments({("c", "labels"): digest(1)}, MEMBERS)
    theirs = list_commitments({("c", "labels"): digest(2)}, MEMBERS)
    with pytest.raises(
        PeerError, match="c told a and b different stories in iteration 4"
    ) as caught:
        compare_stories(ours, theirs, MEMBERS, "a", "b", 4)
    assert caught.value.peers == ("c",)
