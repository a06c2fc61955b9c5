import dataclasses

import numpy as np
import pytest

from consilience import messages
from consilience.exceptions import MessageError
from consilience.fields import rules_of
from consilience.messages import (
    MESSAGES,
    Answer,
    ClusterUpdate,
    Commitment,
    Contribution,
    Failure,
    Grouping,
    LabelCounts,
    LabelledContribution,
    Message,
    NodeUpdate,
    Outline,
    PeerMessage,
    Prediction,
    Query,
    StateDigest,
    Witness,
)
from samples import SAMPLES, every_message

HEADERS = {Message, PeerMessage, Witness}
HEADER = {"study": "s", "sender": "a", "recipient": "b"}
ROWS = np.ones((3, 2))
COUNTS = np.ones((3, 2), dtype=np.int16)
HALVES = np.full(2, 0.5)
CODES = np.zeros((3, 16), dtype=np.uint8)


def test_list_of_messages_is_closed_and_complete():
    defined = {
        value
        for value in vars(messages).values()
        if isinstance(value, type) and issubclass(value, Message) and value not in HEADERS
    }
    assert defined == set(MESSAGES)


@pytest.mark.parametrize("kind", MESSAGES)
def test_samples_have_every_optional_field_and_lack_it(kind):
    for name, rule in rules_of(kind).items():
        if rule.optional:
            assert {name in payload for payload in SAMPLES[kind]} == {True, False}, name


@every_message
def test_good_messages_pass(kind, payload):
    kind(**HEADER, **payload)


@pytest.mark.parametrize("kind", MESSAGES)
def test_messages_are_frozen(kind):
    assert kind.__dataclass_params__.frozen
    assert {f.name for f in dataclasses.fields(kind)} >= set(HEADER)


ONES = np.ones(3, dtype=np.int64)
NODES = {"window": 0, "nodes": ROWS, "counts": ONES, "ids": np.arange(3)}
CLUSTERS = {"window": 0, "ids": np.arange(3), "labels": ONES, "n_clusters": 2}
ANSWER = {"labels": np.array([0]), "n_clusters": 1}
GROUPS = {"groups": np.array([0, 1]), "threshold": 0.5, "tree": np.ones((1, 4))}
SENT = {"representation": ROWS, "anchor": ROWS, "anchor_digest": ""}
MAP = {"linear": ROWS, "offset": np.ones(2)}

BAD = {
    "window": (NodeUpdate, NODES | {"window": -1}, "window of a NodeUpdate must be a whole"),
    "node without id": (NodeUpdate, NODES | {"ids": np.arange(2)}, r"must be \(3,\): n_nodes"),
    "count of zero": (NodeUpdate, NODES | {"counts": 0 * ONES}, "counts of a NodeUpdate"),
    "id twice": (NodeUpdate, NODES | {"ids": ONES}, "different from each other"),
    "NaN node": (NodeUpdate, NODES | {"nodes": np.full((3, 2), np.nan)}, "NaN or infinite"),
    "label without id": (ClusterUpdate, CLUSTERS | {"labels": ONES[:2]}, r"must be \(3,\): n_ids"),
    "no cluster": (ClusterUpdate, CLUSTERS | {"n_clusters": 0}, "whole number >= 1"),
    "nodes without labels": (ClusterUpdate, CLUSTERS | {"nodes": ROWS}, "or neither"),
    "fewer node labels": (
        ClusterUpdate,
        CLUSTERS | {"nodes": ROWS, "node_labels": ONES[:2], "bandwidth": 1.0},
        r"must be \(3,\): n_nodes",
    ),
    "bandwidth": (
        ClusterUpdate,
        CLUSTERS | {"nodes": ROWS, "node_labels": ONES},
        "with a bandwidth > 0",
    ),
    "few codes": (Query, {"representation": ROWS, "pseudonyms": CODES[:2]}, r"must be \(3, 16\)"),
    "short codes": (Query, {"representation": ROWS, "pseudonyms": CODES[:, :8]}, r"\(3, 16\)"),
    "widths": (Contribution, SENT | {"anchor": np.ones((4, 3))}, r"must be \(4, 2\)"),
    "no row": (Contribution, SENT | {"representation": ROWS[:0]}, "at least one row"),
    "step of floats": (Contribution, SENT | {"steps": HALVES}, "with steps has whole numbers"),
    "steps of nothing": (Query, {"representation": COUNTS}, "one without has none"),
    "step of zero": (
        Query,
        {"representation": COUNTS, "steps": 0 * HALVES},
        "steps of a Query must",
    ),
    "step too large": (
        Query,
        {"representation": COUNTS, "steps": 1e300 * HALVES},
        "must be between",
    ),
    "digest": (Contribution, SENT | {"anchor_digest": 3}, "anchor_digest"),
    "no target": (LabelledContribution, SENT | {"targets": ROWS[:, :0]}, "at least one output"),
    "label too large": (Answer, ANSWER | {"labels": np.array([1])}, r"\[-1, 1\)"),
    "label too small": (Answer, ANSWER | {"labels": np.array([-2])}, r"\[-1, 1\)"),
    "rows without label": (Answer, ANSWER | {"representation": ROWS}, r"must be \(1, 2\): n_rows"),
    "centres": (Answer, ANSWER | {"centers": ROWS}, r"must be \(1, 2\): n_clusters"),
    "half a map": (Answer, ANSWER | {"linear": ROWS}, "must both be there"),
    "map of two widths": (Answer, ANSWER | MAP | {"offset": np.ones(3)}, "n_dimensions"),
    "what is answered": (Answer, ANSWER | {"contribution": 3}, "contribution of an Answer"),
    "model without map": (Prediction, {"values": ROWS, "model": CODES[0]}, "or neither"),
    "model of numbers": (
        Prediction,
        {"values": ROWS, "model": np.ones(3)} | MAP,
        "must be an array of uint8",
    ),
    "one class": (LabelCounts, {"counts": np.array([3])}, "at least two classes"),
    "negative counts": (LabelCounts, {"counts": np.array([3, -1])}, "must be >= 0"),
    "no rows": (LabelCounts, {"counts": np.array([0, 0])}, "not all 0"),
    "no group": (Grouping, {**GROUPS, "groups": np.array([-1, -1])}, "numbered from 0"),
    "a group left out": (Grouping, {**GROUPS, "groups": np.array([0, 2])}, "numbered from 0"),
    "no distance": (Grouping, {**GROUPS, "threshold": 1.5}, "between 0 and 1"),
    "a tree too large": (Grouping, {**GROUPS, "tree": np.ones((2, 4))}, "fewer lines than"),
    "no tree": (Grouping, {**GROUPS, "tree": np.ones((1, 3))}, r"must be \(1, 4\)"),
    "parts": (Outline, SAMPLES[Outline][0] | {"sums": ONES}, "a power of two"),
    "no parts": (Outline, SAMPLES[Outline][0] | {"sums": ONES[:0]}, "a power of two"),
    "silence": (StateDigest, SAMPLES[StateDigest][1] | {"heard": None}, "what its sender has"),
    "no phase": (Commitment, SAMPLES[Commitment][0] | {"phase": "x"}, '"labels" or "ranking"'),
}


@pytest.mark.parametrize(("kind", "payload", "message"), BAD.values(), ids=BAD)
def test_bad_payload_is_refused(kind, payload, message):
    with pytest.raises(MessageError, match=message):
        kind(**HEADER, **payload)


def test_coordinates_are_whole_numbers_of_the_step():
    sent = {"representation": COUNTS, "anchor": -3 * COUNTS, "anchor_digest": ""}
    sent["steps"] = np.array([0.25, 0.5])
    message = Contribution(**HEADER, **sent)
    assert (message.rows.dtype, message.rows[0].tolist()) == (np.float64, [0.25, 0.5])
    assert message.anchor_rows[0].tolist() == [-0.75, -1.5]


@pytest.mark.parametrize("field", HEADER)
def test_header_must_be_text(field):
    with pytest.raises(MessageError, match=f"{field} of a Failure must be a text"):
        Failure(**HEADER | {field: 5}, reason="why")
