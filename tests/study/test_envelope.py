import base64
import json

import pytest

from consilience.exceptions import BundleError
from consilience.study.envelope import MAX_ENVELOPE_BYTES, STATEMENT, Envelope
from consilience.study.identity import Identity

SAID = {"_type": STATEMENT, "subject": [{"name": "x"}], "n": 3}


@pytest.fixture
def people():
    return Identity.new("a/lab"), Identity.new("checker")


def test_both_signatures_hold_and_no_others(people):
    envelope = Envelope.of(SAID).signed(people[0]).signed(people[1]).signed(people[1])
    read = Envelope.from_text(envelope.to_text())
    assert len(read.signatures) == 2
    assert all(read.is_signed_by(person.public) for person in people)
    assert not read.is_signed_by(Identity.new("stranger").public)
    assert read.statement == SAID


def test_a_changed_statement_is_signed_by_nobody(people):
    envelope = Envelope.of(SAID).signed(people[0])
    other = Envelope(envelope.payload.replace(b"3", b"4"), envelope.signatures)
    assert not other.is_signed_by(people[0].public)


def test_signatures_that_came_separately_are_put_together(people):
    left, right = (Envelope.of(SAID).signed(person) for person in people)
    both = left.joined(right.signatures).joined(right.signatures)
    assert len(both.signatures) == 2
    assert all(both.is_signed_by(person.public) for person in people)


BROKEN = {
    "no JSON": b"{",
    "a list": b"[]",
    "another kind": lambda f: {**f, "payloadType": "text/plain"},
    "no payload": lambda f: {**f, "payload": "%%%"},
    "no statement": lambda f: {**f, "payload": base64.b64encode(b"{}").decode()},
    "no signatures": lambda f: {**f, "signatures": None},
    "a signature of numbers": lambda f: {**f, "signatures": [3]},
    "too many": lambda f: {**f, "signatures": f["signatures"] * 65},
    "not text": b"\xff" * 40,
}


@pytest.mark.parametrize("damage", BROKEN.values(), ids=BROKEN)
def test_what_is_no_envelope_is_refused_in_words(people, damage):
    fields = json.loads(Envelope.of(SAID).signed(people[0]).to_text())
    data = damage if isinstance(damage, bytes) else json.dumps(damage(fields)).encode()
    with pytest.raises(BundleError, match=r"x\.json is no signed statement"):
        Envelope.from_text(data, "x.json")


def test_one_that_is_too_long_is_not_parsed():
    with pytest.raises(BundleError):
        Envelope.from_text(b" " * (MAX_ENVELOPE_BYTES + 1))
