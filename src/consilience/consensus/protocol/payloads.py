"""What messages carry: numbers in as few bits as they need, and every rule they keep when read.

The packing is what keeps the wire within Proposition 3.1 of [Belucci2026]_.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.consensus.codes import unanimous
from consilience.consensus.protocol.commitments import commit
from consilience.exceptions import MessageError
from consilience.messages import LocalLabels, Ranking

__all__ = ["bit_width", "pack", "read_labels", "read_ranking", "unpack"]

Labels = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


def bit_width(n_values: int) -> int:
    r"""Give :math:`\lceil \log_2 n \rceil`, the bits that tell n values apart.

    Examples
    --------
    >>> bit_width(1), bit_width(2), bit_width(5), bit_width(8)
    (0, 1, 3, 3)
    """
    return max(n_values - 1, 0).bit_length()


def pack(values: Labels, n_values: int) -> Bytes:
    """Write numbers of [0, n_values) one after the other, high bit first.

    Examples
    --------
    >>> pack(np.array([1, 0, 3, 2]), 4)
    array([78], dtype=uint8)
    """
    width = bit_width(n_values)
    shifts = np.arange(width - 1, -1, -1, dtype=np.int64)
    bits = np.empty((len(values), width), dtype=np.uint8)
    for place, shift in enumerate(shifts):
        bits[:, place] = (values >> shift) & 1
    return np.packbits(bits.ravel())


def unpack(packed: Bytes, n_values: int, count: int) -> Labels:
    """Read `count` numbers back; the caller has checked the length.

    Examples
    --------
    >>> unpack(pack(np.array([1, 0, 3, 2]), 4), 4, 4)
    array([1, 0, 3, 2])
    """
    width = bit_width(n_values)
    bits = np.unpackbits(packed, count=count * width).reshape(count, width)
    values = np.zeros(count, dtype=np.int64)
    for column in bits.T:
        values = (values << 1) | column
    return values


def read_labels(
    message: LocalLabels, commitment: Bytes, n_active: int, n_votes: int | None = None
) -> Labels:
    """Take a peer's labels: as committed, one per active row, numbered by first appearance.

    Returns
    -------
    ndarray of shape (n_active,), or (n_active, n_votes) where peers vote
    """
    _check_commitment(message, commitment)
    if message.n_votes != n_votes:
        raise MessageError(
            f"n_votes == {message.n_votes} of a LocalLabels, must be {n_votes} by the terms."
        )
    if message.n_labels > n_active:
        raise MessageError(
            f"n_labels == {message.n_labels} of a LocalLabels, must be <= {n_active}, the number "
            f"of active rows."
        )
    labels = _unpack(message, message.n_labels, n_active * (n_votes or 1)).reshape(n_active, -1)
    if any(not np.array_equal(own, unanimous(own[:, None])) for own in labels.T):
        raise MessageError("labels must be numbered 0, 1, ... by first appearance.")
    if int(labels.max(initial=0)) + 1 != message.n_labels:
        raise MessageError(
            f"n_labels == {message.n_labels} of a LocalLabels, but "
            f"{int(labels.max(initial=0)) + 1} labels are used."
        )
    return labels[:, 0] if n_votes is None else labels


def read_ranking(message: Ranking, commitment: Bytes, labels: Labels, rows: Labels) -> Labels:
    """Take a peer's ranking: as committed, a permutation of the candidates of each cluster.

    Parameters
    ----------
    message : Ranking
    commitment : ndarray of shape (32,), uint8
    labels : ndarray of shape (n_active,), int64
        Consensus clusters.
    rows : ndarray of int64
        Candidates, ascending.

    Returns
    -------
    ndarray of int64
        Places in the active set, cluster after cluster.
    """
    _check_commitment(message, commitment)
    order = _unpack(message, len(labels), len(rows))
    if not np.array_equal(np.sort(order), rows):
        raise MessageError("a Ranking must hold every candidate once and nothing else.")
    if (np.diff(labels[order]) < 0).any():
        raise MessageError("a Ranking must list the candidates cluster after cluster.")
    return order


def _check_commitment(message: LocalLabels | Ranking, commitment: Bytes) -> None:
    if not np.array_equal(commit(message), commitment):
        raise MessageError(f"a {type(message).__name__} is not what its sender committed to.")


def _unpack(message: LocalLabels | Ranking, n_values: int, count: int) -> Labels:
    length = -(-count * bit_width(n_values) // 8)
    if len(message.packed) != length:
        raise MessageError(
            f"packed of a {type(message).__name__} has {len(message.packed)} bytes, must have "
            f"{length}: {count} numbers of {bit_width(n_values)} bits."
        )
    values = unpack(message.packed, n_values, count)
    if values.max(initial=0) >= n_values or not np.array_equal(
        pack(values, n_values), message.packed
    ):
        raise MessageError(
            f"packed of a {type(message).__name__} holds a number outside [0, {n_values}) or "
            f"bits after the last number."
        )
    return values
