import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from consilience.exceptions import MessageError
from consilience.messages import ClusterUpdate
from consilience.transports.wire import decode, encode
from samples import SAMPLES, assert_same, every_message

HEADER = {"study": "s", "sender": "a", "recipient": "b"}


@every_message
def test_every_message_comes_back_as_it_was_sent(kind, payload):
    message = kind(**HEADER, **payload)
    assert_same(decode(encode(message)), message)


@every_message
def test_every_truncation_is_refused(kind, payload):
    data = encode(kind(**HEADER, **payload))
    for length in range(len(data)):
        with pytest.raises(MessageError):
            decode(data[:length])


@every_message
@settings(max_examples=50)
@given(st.data())
def test_changed_bytes_are_a_message_or_refused(kind, payload, draw):
    data = bytearray(encode(kind(**HEADER, **payload)))
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(data)))
        data[place : place + draw.draw(st.integers(0, 3))] = draw.draw(st.binary(max_size=3))
    try:
        message = decode(bytes(data))
    except MessageError:
        return
    assert_same(decode(encode(message)), message)


def test_bytes_are_written_as_they_always_were():
    clusters = SAMPLES[ClusterUpdate][1]
    arrays = {name: part for name, part in clusters.items() if isinstance(part, np.ndarray)}
    values = HEADER | {"window": 0, "n_clusters": 4, "bandwidth": 0.1}
    head = {"version": 2, "kind": "ClusterUpdate", "values": values}
    data = save(arrays, metadata={"consilience": json.dumps(head)})
    assert encode(ClusterUpdate(**HEADER, **clusters)) == data


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ({"version": 9, "kind": "Failure", "values": {}}, "version 9"),
        ({"kind": "Failure", "values": {}}, "version None"),
        ({"version": 2, "kind": "os.system", "values": {}}, "unknown kind"),
        ({"version": 2, "kind": ["Failure"], "values": {}}, "unknown kind"),
        ({"version": 2, "kind": "Failure", "values": []}, "unknown kind"),
        (
            {"version": 2, "kind": "Failure", "values": {**HEADER, "reason": "r", "more": 1}},
            "fields it",
        ),
        ({"version": 2, "kind": "Failure", "values": HEADER}, "without all"),
        (
            {"version": 2, "kind": "Failure", "values": {**HEADER, "reason": [1]}},
            "reason of a Failure must be a text",
        ),
    ],
)
def test_foreign_heads_are_refused(head, reason):
    with pytest.raises(MessageError, match=reason):
        decode(save({}, metadata={"consilience": json.dumps(head)}))
