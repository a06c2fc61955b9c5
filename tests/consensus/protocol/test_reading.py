import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.consensus.protocol.commitment import commit
from consilience.consensus.protocol.packing import pack
from consilience.consensus.protocol.reading import read_labels
from consilience.exceptions import MessageError
from consilience.messages import LocalLabels


def message(packed, n_labels):
    return LocalLabels(
        study="s",
        sender="a",
        recipient="b",
        iteration=1,
        attempt=0,
        n_labels=n_labels,
        packed=np.asarray(packed, dtype=np.uint8),
        nonce=np.zeros(16, dtype=np.uint8),
    )


@given(st.binary(max_size=12), st.integers(1, 40))
def test_arbitrary_bytes_give_labels_in_range_or_an_error(data, n_labels):
    sent = message(np.frombuffer(data, dtype=np.uint8), n_labels)
    try:
        labels = read_labels(sent, commit(sent), 20)
    except MessageError:
        return
    assert len(labels) == 20
    assert set(labels) == set(range(n_labels))


def test_bits_after_the_last_number_are_refused():
    packed = pack(np.array([0, 1, 0]), 2)
    spoilt = packed | 1
    with pytest.raises(MessageError, match="bits after the last"):
        read_labels(message(spoilt, 2), commit(message(spoilt, 2)), 3)
