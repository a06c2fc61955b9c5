from collections import deque
from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.outlines import n_parts, part_sums
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import PeerError
from consilience.messages import Failure, Outline, Roster
from consilience.transports import deliver, overhear

X = np.random.default_rng(0).normal(size=(60, 4))
CODES = np.random.default_rng(1).integers(256, size=(4_000, 16), dtype=np.uint8)


def make(*ids, kind=Peer, unmatched="drop", **agreed):
    """Make peers a, b, ... of which each holds the rows with its ids; the last is of a kind."""
    names = tuple("abcdefgh"[: len(ids)])
    terms, step = ConsensusTerms(max_iter=1, **agreed), LocalStep(KMeans(3, n_init=1))
    roles = {}
    for name, own in zip(names, ids, strict=True):
        X = np.random.default_rng(2).normal(size=(4_000, 2))[list(own)]
        codes, made = CODES[list(own)], kind if name == names[-1] else Peer
        given = {"pseudonyms": codes, "unmatched": unmatched}
        roles[name] = made(name, names, X, terms, step, **given)
    return roles


def meet(roles):
    with overhear() as heard:
        deliver([m for role in roles.values() for m in role.begin()], roles)
    return heard


def told(heard, kind):
    return {(m.sender, m.recipient): m for m in heard if isinstance(m, kind)}


def test_peers_with_the_same_rows_tell_none_of_them():
    roles = make(range(500), range(499, -1, -1), range(500))
    heard = meet(roles)
    assert len(told(heard, Outline)) == 6
    assert told(heard, Roster) == {}
    assert all((role.labels >= 0).all() and role.done for role in roles.values())


def test_only_those_that_differ_tell_rows_and_only_where_they_do():
    roles = make(range(2_000), range(2_000), range(3, 2_000))
    rosters = told(meet(roles), Roster)
    assert set(rosters) == {("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")}
    assert max(len(m.pseudonyms) for m in rosters.values()) < 100
    for name, first in (("a", 3), ("b", 3), ("c", 0)):
        labels = roles[name].labels
        assert (labels[:first] == -1).all()
        assert (labels[first:] >= 0).all()


def test_peers_with_unlike_numbers_of_rows_find_the_common_ones():
    roles = make(range(4_000), range(100, 130), range(90, 1_500))
    meet(roles)
    assert [int((role.labels >= 0).sum()) for role in roles.values()] == [30, 30, 30]
    assert (roles["a"].labels[100:130] >= 0).all()


def test_peers_without_common_rows_are_told_where_to_look():
    with pytest.raises(PeerError, match="same row key"):
        meet(make(range(5), range(50, 55)))


def test_rows_not_all_hold_end_the_run_if_the_study_says_so():
    with pytest.raises(PeerError, match="1 of a, 1 of b are rows that not all peers hold"):
        meet(make(range(5), range(1, 6), unmatched="refuse"))


def test_with_the_same_rows_at_all_nothing_is_unmatched():
    roles = make(range(5), range(4, -1, -1), unmatched="refuse")
    meet(roles)
    assert all(role.done for role in roles.values())


@pytest.mark.parametrize("said", ["nothing", "outline", "one roster"])
def test_the_others_go_on_without_a_peer_that_is_lost_while_rows_meet(said):
    roles = make(range(200), range(5, 205), range(50, 200), when_absent="go on without")
    lost, queue = roles.pop("c"), deque(m for role in roles.values() for m in role.begin())
    queue.extend(lost.begin() if said != "nothing" else [])
    if said == "one roster":
        told = [m for q in list(queue) if q.recipient == "c" for m in lost.receive(q)]
        queue.extend([m for m in told if m.recipient == "a"])
    for _ in range(2):
        while queue:
            message = queue.popleft()
            if message.recipient in roles:
                queue.extend(roles[message.recipient].receive(message))
        queue.extend(m for role in roles.values() for m in role.give_up())
    assert all(role.done and role.members == ("a", "b") for role in roles.values())
    assert (roles["a"].labels[5:] >= 0).all()
    assert (roles["a"].labels[:5] == -1).all()


def begun():
    """Return a peer that has heard an outline, with what the other tells it next."""
    roles = make(range(200), range(5, 200))
    a, b = roles.values()
    outline, other = b.begin()[0], a.begin()[0]
    roster = b.receive(other)[0]
    assert isinstance(roster, Roster)
    return a, outline, roster


def test_a_roster_with_a_row_twice_is_refused():
    a, outline, roster = begun()
    a.receive(outline)
    twice = np.repeat(roster.pseudonyms[:1], 2, axis=0)
    (refusal,) = a.receive(replace(roster, pseudonyms=twice))
    assert isinstance(refusal, Failure)
    assert "ascend" in refusal.reason
    assert a.waiting_for == ("b",)


def test_rows_come_before_their_outline_and_are_kept():
    a, outline, roster = begun()
    assert a.receive(roster) == []
    assert a.waiting_for == ("b",)
    assert a.receive(outline)
    assert a.iteration == 1


class Sparing(Peer):
    """Tells fewer rows than it holds."""

    def change(self, message):
        if isinstance(message, Roster):
            return replace(message, pseudonyms=message.pseudonyms[1:])
        return message

    def receive(self, message):
        return [self.change(m) for m in super().receive(message)]

    def begin(self):
        return [self.change(m) for m in super().begin()]


class Wrong(Sparing):
    """Outlines other rows than its digest is of."""

    def change(self, message):
        if isinstance(message, Outline):
            return replace(message, sums=message.sums[::-1].copy())
        return message


class Copying(Sparing):
    """Says that its parts have the sums of all peers' rows, and tells none of its own."""

    def change(self, message):
        if isinstance(message, Outline):
            rows = np.sort(CODES[:300].view("V16"), axis=0).view(np.uint8).reshape(-1, 16)
            return replace(message, sums=part_sums(rows, n_parts(300)))
        return message


class Huge(Sparing):
    """Tells many rows that it does not hold."""

    def change(self, message):
        if isinstance(message, Roster):
            rows = np.unique(np.random.default_rng(0).integers(256, size=(50_000, 16)), axis=0)
            return replace(message, pseudonyms=rows.astype(np.uint8))
        return message


@pytest.mark.parametrize("liar", [Sparing, Wrong, Copying, Huge])
def test_who_tells_other_rows_than_those_of_its_digest_is_named(liar):
    roles = make(range(300), range(300), range(7, 300), kind=liar)
    with pytest.raises(PeerError, match="c tells other rows than those of the digest") as caught:
        meet(roles)
    assert caught.value.peers == ("c",)
