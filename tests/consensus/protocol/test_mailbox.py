from dataclasses import replace

import numpy as np
import pytest

from consilience.consensus.protocol.mailbox import MAX_EARLY, Inbox, Outbox
from consilience.consensus.protocol.membership import Membership
from consilience.exceptions import MessageError
from consilience.messages import (
    Commitment,
    Failure,
    Farewell,
    Ranking,
    Rejoin,
    Roster,
    StateDigest,
)

MESSAGE = Ranking(
    study="s",
    sender="a",
    recipient="b",
    iteration=3,
    attempt=0,
    packed=np.zeros(2, dtype=np.uint8),
    nonce=np.zeros(16, dtype=np.uint8),
)


def test_a_message_is_taken_once_and_a_copy_changes_nothing():
    box = Inbox()
    assert box.keep(MESSAGE, 0, 3)
    assert not box.keep(replace(MESSAGE), 0, 3)
    assert len(box.take(0, 3, "ranking")) == 1
    assert not box.keep(replace(MESSAGE), 0, 3)
    assert box.take(0, 3, "ranking") == []


def test_another_version_of_a_message_is_refused_until_the_first_was():
    box = Inbox()
    box.keep(MESSAGE, 0, 3)
    other = replace(MESSAGE, packed=np.ones(2, dtype=np.uint8))
    with pytest.raises(MessageError, match="second, different"):
        box.keep(other, 0, 3)
    box.take(0, 3, "ranking")
    box.forget(MESSAGE)
    assert box.keep(other, 0, 3)


def test_old_messages_are_ignored_and_far_ones_refused():
    box = Inbox()
    assert not box.keep(MESSAGE, 0, 4)
    assert not box.keep(MESSAGE, 1, 0)
    with pytest.raises(MessageError, match="far ahead"):
        box.keep(MESSAGE, 0, 1)


def test_nobody_can_fill_the_memory():
    box = Inbox()
    header = {"study": "s", "sender": "a", "recipient": "b"}
    digest = np.zeros(32, dtype=np.uint8)
    heard = np.zeros((3, 32), dtype=np.uint8)
    messages = []
    for attempt in (0, 1):
        for iteration in (3, 4):
            place = {**header, "attempt": attempt, "iteration": iteration}
            messages += [
                Commitment(**place, phase="labels", digest=digest, heard=heard),
                Commitment(**place, phase="ranking", digest=digest, heard=heard),
                replace(MESSAGE, attempt=attempt, iteration=iteration),
                StateDigest(**place, digest=digest, heard=heard),
                Roster(**place, pseudonyms=np.zeros((1, 16), dtype=np.uint8)),
            ]
    for message in messages[:MAX_EARLY]:
        assert box.keep(message, 0, 3)
    with pytest.raises(MessageError, match="far ahead"):
        box.keep(messages[MAX_EARLY], 0, 3)


def test_messages_outside_the_steps_are_refused():
    with pytest.raises(MessageError, match="cannot use a Farewell"):
        Inbox().keep(Farewell(study="s", sender="a", recipient="b", iteration=1, attempt=0), 0, 1)


def test_only_what_was_said_is_repeated_and_only_to_whom():
    outbox = Outbox(Membership("a", ("a", "b", "c")), "s")
    outbox.write(Rejoin, 2)
    assert outbox.again("b", 0) == []
    said = outbox.say(Rejoin, 2)
    assert outbox.again("b", 2) == said[:1]
    assert outbox.again("b", 3) == []
    outbox.forget(before=3)
    assert outbox.again("b", 0) == []


def test_the_last_witness_of_an_iteration_is_found():
    outbox = Outbox(Membership("a", ("a", "b", "c")), "s")
    about = {"digest": np.zeros(32, np.uint8), "heard": np.zeros((3, 32), np.uint8)}
    outbox.say(Commitment, 2, phase="labels", **about)
    outbox.say(Commitment, 2, phase="ranking", **about)
    outbox.say(Rejoin, 2)
    (found,) = outbox.witness("c", 2)
    assert (found.recipient, found.phase) == ("c", "ranking")
    assert outbox.witness("c", 1) == []


def test_lists_of_what_was_heard_do_not_make_another_message():
    lists = {"commitments": np.ones((3, 2, 32), np.uint8), "rosters": np.ones((3, 32), np.uint8)}
    about = {"digest": np.zeros(32, np.uint8), "heard": np.zeros((3, 32), np.uint8)}
    header = {"study": "s", "sender": "a", "recipient": "b", "iteration": 3, "attempt": 0}
    box, said = Inbox(), StateDigest(**header, **about)
    assert box.keep(said, 0, 3)
    assert not box.keep(replace(said, **lists), 0, 3)
    assert not box.keep(said, 0, 3)
    with pytest.raises(MessageError, match="second, different"):
        box.keep(replace(said, heard=np.ones((3, 32), np.uint8)), 0, 3)
    (kept,) = box.take(0, 3, "digest")
    assert kept.in_full


def test_a_refusal_goes_to_the_sender():
    outbox = Outbox(Membership("a", ("a", "b")), "s")
    message = Rejoin(study="s", sender="b", recipient="a", iteration=2, attempt=0)
    (refusal,) = outbox.refuse(message, "no")
    assert isinstance(refusal, Failure)
    assert (refusal.recipient, refusal.reason) == ("b", "no")
