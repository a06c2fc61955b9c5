"""What every kind of message may hold, with each optional field and without it."""

import dataclasses

import numpy as np
import pytest

from consilience import messages as m

ROWS = np.arange(12.0).reshape(4, 3) / 7
CODES = np.arange(64, dtype=np.uint8).reshape(4, 16)
BYTES = np.arange(32, dtype=np.uint8)
WHOLE = np.arange(4)
PAIRS = np.zeros((2, 2, 32), dtype=np.uint8)

SENT = {"representation": ROWS, "anchor": ROWS[:2] - 1, "anchor_digest": "d"}
COUNTS = np.arange(12, dtype=np.int16).reshape(4, 3) - 5
STEPS = {"representation": COUNTS, "anchor": COUNTS.astype(np.int32), "anchor_digest": "d"}
STEPS |= {"steps": np.full(3, 2.0**-6)}
TARGETS = {"targets": np.eye(4)[:, :2]}
ANSWER = {"labels": np.array([0, 1, -1, 0]), "n_clusters": 2}
MAP = {"linear": -ROWS.T, "offset": ROWS[:, 0]}
GROUPING = {"groups": np.array([0, 1, -1, 0]), "threshold": 0.3, "tree": np.ones((2, 4))}
CLUSTERS = {"window": 0, "ids": WHOLE, "labels": WHOLE, "n_clusters": 4}
NODES = {"nodes": ROWS, "node_labels": WHOLE, "bandwidth": 0.1}
CENTERS = {"centers": ROWS, "weights": np.array([3.5, 0.0, 2.0, 1.0])}
PLACE = {"iteration": 2, "attempt": 1}
HEARD = {"heard": np.zeros((3, 32), dtype=np.uint8)}
LISTS = {"commitments": PAIRS, "rosters": PAIRS[:, 0]}

SAMPLES = {
    m.Contribution: [SENT, SENT | {"pseudonyms": CODES}, STEPS],
    m.LabelledContribution: [SENT | TARGETS, STEPS | TARGETS | {"pseudonyms": CODES}],
    m.Query: [{"representation": np.asfortranarray(ROWS)}, {"representation": ROWS}
            | {"pseudonyms": CODES}, {"representation": COUNTS, "steps": np.full(3, 0.5)}],
    m.Answer: [
        ANSWER,
        ANSWER | MAP | {"pseudonyms": CODES, "centers": np.ones((2, 4)), "contribution": "c"},
        ANSWER | {"representation": ROWS},
        ANSWER | {"memberships": np.array([[1, 0], [0.25, 0.75], [0, 0], [0.5, 0.5]])},
        ANSWER | {"tree": np.array([[0.0, 1.0, 2.5]])},
    ],
    m.Prediction: [
        {"values": ROWS},
        {"values": ROWS, "anchor": ROWS[:1], "pseudonyms": CODES, "contribution": "c"}
        | MAP | {"model": BYTES},
    ],
    m.LabelCounts: [{"counts": np.array([3, 0])}],
    m.Grouping: [GROUPING, GROUPING | {"threshold": 1, "contribution": "c"}],
    m.NodeUpdate: [{"window": 3, "nodes": ROWS, "counts": WHOLE + 1, "ids": WHOLE}],
    m.ClusterUpdate: [CLUSTERS, CLUSTERS | NODES],
    m.Summary: [
        CENTERS,
        CENTERS | {"errors": np.ones(4), "contribution": "c", "classes": np.arange(4) % 2},
        CENTERS | {"covariances": np.zeros((4, *2 * ROWS.shape[1:])), "names": np.arange(4)},
    ],
    m.SharedKey: [{"circle": "row a", "key": BYTES}],
    m.BlindedIds: [
        {"session": BYTES[:16], "letter": 1, "counts": np.array([1, 1])}
        | {"points": np.arange(64, dtype=np.uint8).reshape(2, 32)},
    ],
    m.Withdrawal: [{"contributions": "a,b"}],
    m.Failure: [{"reason": 'no: ünïcode "quoted"\nand lines, [ and {'}],
    m.Outline: [PLACE | {"digest": BYTES, "sums": WHOLE - 2}],
    m.Roster: [PLACE | {"pseudonyms": CODES}],
    m.Commitment: [
        PLACE | {"phase": "labels", "digest": BYTES} | HEARD,
        PLACE | {"phase": "labels", "digest": BYTES, "commitments": PAIRS},
        PLACE | {"phase": "ranking", "digest": BYTES} | HEARD | LISTS,
    ],
    m.LocalLabels: [
        PLACE | {"n_labels": 3, "packed": BYTES[:5], "nonce": BYTES[:16]},
        PLACE | {"n_labels": 3, "packed": BYTES[:5], "nonce": BYTES[:16], "n_votes": 10},
    ],
    m.Ranking: [PLACE | {"packed": BYTES[:0], "nonce": BYTES[:16]}],
    m.StateDigest: [
        PLACE | {"digest": BYTES, "commitments": PAIRS[:0]},
        PLACE | {"digest": BYTES} | HEARD,
        PLACE | {"digest": BYTES} | HEARD | LISTS,
    ],
    m.Absence: [PLACE | {"missing": "a,b"}],
    m.Rejoin: [PLACE],
    m.Farewell: [PLACE],
}  # fmt: skip

every_message = pytest.mark.parametrize(
    ("kind", "payload"),
    [(kind, payload) for kind in m.MESSAGES for payload in SAMPLES[kind]],
    ids=lambda part: part.__name__ if isinstance(part, type) else f"{len(part)} fields",
)


def assert_same(found, message):
    assert type(found) is type(message)
    for field in dataclasses.fields(message):
        theirs, mine = getattr(found, field.name), getattr(message, field.name)
        assert type(theirs) is type(mine)
        if isinstance(mine, np.ndarray):
            assert theirs.dtype == mine.dtype
            np.testing.assert_array_equal(theirs, mine)
        else:
            assert theirs == mine
