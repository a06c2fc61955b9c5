import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.consensus.protocol.commitments import commit
from consilience.consensus.protocol.payloads import (
    bit_width,
    pack,
    read_labels,
    read_ranking,
    unpack,
)
from consilience.exceptions import MessageError
from consilience.messages import LocalLabels, Ranking


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


@pytest.mark.parametrize(
    ("labels", "n_labels", "reason"),
    [
        (np.zeros(119), 2, "1 labels are used"),
        (np.zeros(50), 2, "has 7 bytes, must have 15"),
        (np.ones(120), 2, "by first appearance"),
        (np.zeros(120), 2, "1 labels are used"),
        (np.arange(120), 999, "must be <= 120"),
        (np.r_[np.arange(5), np.full(115, 7)], 6, r"outside \[0, 6\)"),
    ],
)
def test_labels_out_of_range_are_refused_even_if_committed(labels, n_labels, reason):
    sent = message(pack(labels.astype(np.int64), n_labels), n_labels)
    with pytest.raises(MessageError, match=reason):
        read_labels(sent, commit(sent), 120)


def test_bits_after_the_last_number_are_refused():
    packed = pack(np.array([0, 1, 0]), 2)
    spoilt = packed | 1
    with pytest.raises(MessageError, match="bits after the last"):
        read_labels(message(spoilt, 2), commit(message(spoilt, 2)), 3)


@given(st.integers(1, 2**33), st.integers(0, 40), st.randoms(use_true_random=False))
def test_numbers_come_back(n_values, count, random):
    values = np.array([random.randrange(n_values) for _ in range(count)], dtype=np.int64)
    packed = pack(values, n_values)
    assert len(packed) == -(-count * bit_width(n_values) // 8)
    np.testing.assert_array_equal(unpack(packed, n_values, count), values)


@pytest.mark.parametrize(("n", "bits"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (58000, 16)])
def test_width_is_the_rounded_up_logarithm(n, bits):
    assert bit_width(n) == bits


def test_ranking_must_be_a_permutation_of_the_candidates():
    labels, rows = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 3, 4])

    def message(order):
        return Ranking(
            study="s",
            sender="a",
            recipient="b",
            iteration=1,
            attempt=0,
            packed=pack(np.array(order), 5),
            nonce=np.zeros(16, dtype=np.uint8),
        )

    def read(order):
        return read_ranking(message(order), commit(message(order)), labels, rows)

    np.testing.assert_array_equal(read([1, 0, 3, 4]), [1, 0, 3, 4])
    for order, reason in [
        ([1, 1, 3, 4], "every candidate once"),
        ([1, 0, 3, 2], "every candidate once"),
        ([3, 4, 0, 1], "cluster after cluster"),
        ([1, 3, 0, 4], "cluster after cluster"),
    ]:
        with pytest.raises(MessageError, match=reason):
            read(order)
