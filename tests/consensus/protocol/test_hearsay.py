from dataclasses import replace

import numpy as np
import pytest

from consilience.consensus.protocol.commitments import Commitments
from consilience.consensus.protocol.hearsay import Hearsay
from consilience.consensus.protocol.log import Log
from consilience.consensus.protocol.mailbox import Outbox
from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import MessageError, PeerError
from consilience.messages import StateDigest

HEADER = {"study": "s", "iteration": 2, "attempt": 0, "digest": np.ones(32, dtype=np.uint8)}


def hearsay(name, **digests):
    """Make the hearsay of one of three peers, from numbers such as ``b_labels=3``."""
    membership = Membership(name, ("a", "b", "c"))
    book, outbox = Commitments(membership, b"secret"), Outbox(membership, "s")
    for key, n in digests.items():
        book.note(*key.split("_"), np.full(32, n, dtype=np.uint8), iteration=2)
    return Hearsay(membership, book, outbox, Log()), outbox


def labels(a=1, b=2, c=3):
    return {"a_labels": a, "b_labels": b, "c_labels": c}


def says(sender, recipient="a", lists=None, **digests):
    """Return what a peer says that it has heard; its lists, if any, are those of other digests."""
    told, _ = hearsay(sender, **digests)
    message = StateDigest(**HEADER, sender=sender, recipient=recipient, heard=told.digests)
    if lists is None:
        return message
    shown, outbox = hearsay(sender, **lists)
    outbox.keep([message])
    (whole,) = shown.ask(recipient, 2)
    return whole


def test_digests_are_those_of_what_all_members_said():
    ours, _ = hearsay("a", a_labels=1, b_labels=2)
    assert ours.digests.shape == (3, 32)
    assert not ours.digests.any()
    ours, _ = hearsay("a", **labels(), c_ranking=1)
    assert ours.digests.any(axis=1).tolist() == [False, True, False]
    theirs, _ = hearsay("b", **labels())
    np.testing.assert_array_equal(ours.digests, theirs.digests)


def test_only_what_both_have_heard_of_all_is_compared():
    ours, _ = hearsay("a", **labels())
    assert ours.agrees(says("b", **labels()))
    assert ours.agrees(says("b", a_labels=7, b_ranking=8))
    assert not ours.agrees(says("b", **labels(c=4)))


def test_who_heard_something_else_is_told_the_list_once():
    ours, outbox = hearsay("a", **labels(), a_roster=4, b_roster=5, c_roster=6)
    outbox.say(StateDigest, 2, digest=HEADER["digest"], heard=ours.digests)
    (told,) = ours.ask("b", 2)
    assert (told.recipient, told.in_full) == ("b", True)
    assert told.commitments[:, 0, 0].tolist() == [1, 2, 3]
    assert not told.commitments[:, 1].any()
    assert told.rosters[:, 0].tolist() == [4, 5, 6]
    assert ours.doubted == {"b"}
    assert ours.ask("b", 2) == []
    assert len(ours.ask("c", 2)) == 1


def test_nobody_is_doubted_any_more_when_the_members_are_others():
    ours, outbox = hearsay("a", **labels())
    ours.ask("b", 2)
    outbox._membership.go_on(("a", "c"), attempt=1)
    assert ours.doubted == set()


def test_whoever_told_two_stories_is_named():
    ours, _ = hearsay("a", **labels())
    other = labels(c=4)
    with pytest.raises(PeerError, match="c told a and b different stories in iteration 2") as found:
        ours.agrees(says("b", lists=other, **other))
    assert found.value.peers == ("c",)


def test_lists_of_an_earlier_version_are_compared_without_digests():
    ours, _ = hearsay("a", **labels())
    partial = replace(says("b", lists={"a_labels": 1}), heard=None)
    assert ours.agrees(partial)
    with pytest.raises(PeerError, match="c told a and b different stories"):
        ours.agrees(replace(says("b", lists=labels(c=4)), heard=None))


def test_a_list_that_does_not_have_the_digest_names_who_shows_it():
    ours, _ = hearsay("a", **labels())
    for shown in (labels(), labels(c=5), {"a_labels": 1}):
        with pytest.raises(PeerError, match="b shows another list") as found:
            ours.agrees(says("b", lists=shown, **labels(c=4)))
        assert found.value.peers == ("b",)


@pytest.mark.parametrize("whose", ["a", "b"])
def test_words_put_into_the_mouth_of_who_reads_the_list_name_who_shows_it(whose):
    ours, _ = hearsay("a", **labels())
    other = labels(**{whose: 9, "c": 9})
    with pytest.raises(PeerError, match="b says that a, or b itself") as found:
        ours.agrees(says("b", lists=other, **other))
    assert found.value.peers == ("b",)


def test_lists_of_other_members_are_refused():
    ours, _ = hearsay("a", **labels())
    told = says("b", lists=labels(), **labels())
    with pytest.raises(MessageError, match="of 2 members, must be of 3"):
        ours.agrees(replace(told, commitments=told.commitments[:2], rosters=None))
