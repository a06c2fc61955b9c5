import json

import numpy as np
import pytest
from safetensors.numpy import save

from consilience.exceptions import MessageError
from consilience.messages import MESSAGES, Contribution, Failure, LocalLabels
from consilience.transports.wire import decode, encode

HEADER = {"study": "s", "sender": "a", "recipient": "b"}
PAYLOADS = {
    "Contribution": {
        "representation": np.eye(3),
        "anchor": np.ones((2, 3)),
        "anchor_digest": "d",
        "pseudonyms": np.zeros((3, 16), dtype=np.uint8),
    },
    "Query": {"representation": np.eye(2)},
    "Answer": {"labels": np.array([0, -1, 1]), "n_clusters": 2},
    "Failure": {"reason": "no: ünïcode\nand lines"},
    "Roster": {"pseudonyms": np.zeros((2, 16), dtype=np.uint8)},
    "Commitment": {
        "phase": "labels",
        "digest": np.arange(32, dtype=np.uint8),
        "commitments": np.zeros((2, 2, 32), dtype=np.uint8),
    },
    "LocalLabels": {
        "n_labels": 3,
        "packed": np.arange(5, dtype=np.uint8),
        "nonce": np.zeros(16, dtype=np.uint8),
    },
    "Ranking": {"packed": np.zeros(0, dtype=np.uint8), "nonce": np.zeros(16, dtype=np.uint8)},
    "StateDigest": {
        "digest": np.zeros(32, dtype=np.uint8),
        "commitments": np.zeros((3, 2, 32), dtype=np.uint8),
    },
    "Absence": {"missing": "a,b"},
    "Rejoin": {},
    "Farewell": {},
}
ROUND = {"iteration": 2, "attempt": 1}


def make(kind):
    extra = ROUND if "iteration" in kind.__dataclass_fields__ else {}
    return kind(**HEADER, **extra, **PAYLOADS[kind.__name__])


@pytest.mark.parametrize("kind", [k for k in MESSAGES if k.__name__ in PAYLOADS])
def test_every_message_comes_back_as_it_was_sent(kind):
    sent = make(kind)
    got = decode(encode(sent))
    assert type(got) is kind
    for name, value in vars(sent).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(got, name), value)
            assert getattr(got, name).dtype == value.dtype
        else:
            assert getattr(got, name) == value


def test_every_truncation_is_refused():
    data = encode(make(LocalLabels))
    for length in range(len(data)):
        with pytest.raises(MessageError):
            decode(data[:length])


def test_flipped_bytes_never_raise_anything_but_a_message_error():
    data = encode(make(Contribution))
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(2000):
        spoilt = bytearray(data)
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            spoilt[place] = rng.integers(256)
        try:
            decode(bytes(spoilt))
        except MessageError:
            refused += 1
    assert refused > 500


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ({"version": 9, "kind": "Failure", "values": {}}, "version 9"),
        ({"version": 1, "kind": "os.system", "values": {}}, "unknown kind"),
        (
            {"version": 1, "kind": "Failure", "values": {**HEADER, "reason": "r", "more": 1}},
            "fields it",
        ),
        ({"version": 1, "kind": "Failure", "values": HEADER}, "without all"),
        (
            {"version": 1, "kind": "Failure", "values": {**HEADER, "reason": [1]}},
            "reason of a Failure must be a text",
        ),
    ],
)
def test_foreign_heads_are_refused(head, reason):
    with pytest.raises(MessageError, match=reason):
        decode(save({}, metadata={"consilience": json.dumps(head)}))


def test_the_rules_of_the_message_hold_on_arrival():
    head = {"version": 1, "kind": "Failure", "values": {**HEADER, "reason": 5}}
    with pytest.raises(MessageError, match="reason"):
        decode(save({}, metadata={"consilience": json.dumps(head)}))
    assert Failure(**HEADER, reason="r").reason == "r"
