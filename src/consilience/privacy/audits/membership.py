"""Membership: whether a person's row is among the nodes a party sent.

A continual party (FCAC, [Masuyama2024]_) sends the nodes of its network. Without noise a node that
won once *is* the row it was made from. Whoever holds the nodes, and a list of candidates, asks of
each candidate whether it took part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.metrics import pairwise_distances_argmin_min, roc_auc_score, roc_curve

__all__ = ["Membership", "infer_membership", "nearest_rows"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Membership:
    """What the nodes tell of who took part.

    Parameters
    ----------
    copied : float
        Share of nodes that are a row of the party: bit for bit, or within a tolerance.
    exposed : float
        Share of the party's rows that are a node, in the same sense.
    auc : float
        Chance that a member lies closer to a node than a person who is not: 0.5 says nothing.
    advantage : float
        Largest difference between the shares of members and of others called members, over all
        limits on the distance: 0 says nothing, 1 is certainty.
    n_members, n_others : int
    """

    copied: float
    exposed: float
    auc: float
    advantage: float
    n_members: int
    n_others: int


def infer_membership(
    nodes: Array, members: Array, others: Array, tolerance: float = 0.0
) -> Membership:
    """Call a candidate a member if a node lies close to it.

    Parameters
    ----------
    nodes : ndarray of shape (n_nodes, n_features)
        What the party sent.
    members : ndarray of shape (n_members, n_features)
        Rows the party learnt from.
    others : ndarray of shape (n_others, n_features)
        Rows like them that it never saw.
    tolerance : float
        A node that lies so close to a row, in standard deviations, counts as the row; 0 asks for
        the same bits.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> told = infer_membership(rows[:2], members=rows[:2], others=rows[2:] + 0.5)
    >>> told.copied, told.exposed, told.advantage
    (1.0, 1.0, 1.0)
    """
    if not len(nodes) or not len(members) or not len(others):
        raise ValueError(
            f"{len(nodes)} nodes, {len(members)} members and {len(others)} others were given; "
            f"each must be >= 1: there is nothing to compare."
        )
    scale = members.std(axis=0)
    scale[scale == 0] = 1.0
    candidates = np.vstack([members, others]) / scale
    _, distance = pairwise_distances_argmin_min(candidates, nodes / scale)
    if tolerance:
        _, apart = pairwise_distances_argmin_min(nodes / scale, members / scale)
        copied, exposed = apart <= tolerance, distance[: len(members)] <= tolerance
    else:
        sent, own = _as_texts(nodes), _as_texts(members)
        copied, exposed = np.isin(sent, own), np.isin(own, sent)
    truth = np.arange(len(candidates)) < len(members)
    false, true, _ = roc_curve(truth, -distance)
    return Membership(
        copied=float(copied.mean()),
        exposed=float(exposed.mean()),
        auc=float(roc_auc_score(truth, -distance)),
        advantage=float((true - false).max()),
        n_members=len(members),
        n_others=len(others),
    )


def nearest_rows(nodes: Array, rows: Array) -> Array:
    """Return for each node the row nearest to it, in standard deviations of the rows.

    Examples
    --------
    >>> nearest_rows(np.array([[0.9]]), np.array([[0.0], [1.0]]))
    array([[1.]])
    """
    scale = rows.std(axis=0)
    scale[scale == 0] = 1.0
    places, _ = pairwise_distances_argmin_min(nodes / scale, rows / scale)
    return np.asarray(rows[places])


def _as_texts(rows: Array) -> npt.NDArray[np.bytes_]:
    """View each row as its bytes, so that equal means identical."""
    rows = np.ascontiguousarray(rows + 0.0)
    return np.asarray(rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel())
