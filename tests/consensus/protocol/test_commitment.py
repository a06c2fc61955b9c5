from dataclasses import replace

import numpy as np

from consilience.consensus.protocol.commitment import commit, nonce
from consilience.messages import LocalLabels

MESSAGE = LocalLabels(
    study="s",
    sender="a",
    recipient="b",
    iteration=1,
    attempt=0,
    n_labels=3,
    packed=np.arange(5, dtype=np.uint8),
    nonce=nonce(b"secret", "labels 1"),
)


def test_commitment_binds_everything_but_the_recipient_and_the_attempt():
    base = bytes(commit(MESSAGE))
    assert bytes(commit(replace(MESSAGE, recipient="c", attempt=4))) == base
    for change in (
        {"study": "t"},
        {"sender": "c"},
        {"iteration": 2},
        {"n_labels": 4},
        {"packed": np.arange(1, 6, dtype=np.uint8)},
        {"nonce": nonce(b"other", "labels 1")},
    ):
        assert bytes(commit(replace(MESSAGE, **change))) != base
