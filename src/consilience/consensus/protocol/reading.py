"""Reading what another peer sent: every rule a payload must keep before a number is used."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.consensus.codes import unanimous
from consilience.consensus.protocol.commitment import commit
from consilience.consensus.protocol.packing import bit_width, pack, unpack
from consilience.consensus.protocol.rosters import ascending
from consilience.exceptions import MessageError
from consilience.messages import LocalLabels, Ranking, Roster

__all__ = ["read_labels", "read_ranking", "read_roster"]

Labels = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


def read_roster(message: Roster) -> Bytes:
    """Take the pseudonyms of a roster: ascending, each once."""
    if not ascending(message.pseudonyms):
        raise MessageError("the pseudonyms of a Roster must ascend, each once.")
    return message.pseudonyms


def read_labels(message: LocalLabels, commitment: Bytes, n_active: int) -> Labels:
    """Take a peer's labels: as committed, one per active row, numbered by first appearance."""
    _check_commitment(message, commitment)
    if message.n_labels > n_active:
        raise MessageError(
            f"n_labels == {message.n_labels} of a LocalLabels, must be <= {n_active}, the number "
            f"of active rows."
        )
    labels = _unpack(message, message.n_labels, n_active)
    if not np.array_equal(labels, unanimous(labels[:, None])):
        raise MessageError("labels must be numbered 0, 1, ... by first appearance.")
    if int(labels.max(initial=0)) + 1 != message.n_labels:
        raise MessageError(
            f"n_labels == {message.n_labels} of a LocalLabels, but "
            f"{int(labels.max(initial=0)) + 1} labels are used."
        )
    return labels


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
