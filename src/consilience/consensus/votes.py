"""Votes: rows belong together where most peers say so most of the time; nobody has a veto."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from consilience.consensus.codes import unanimous

__all__ = ["MAX_VOTERS", "N_VOTES", "agreement", "majority"]

Labels = npt.NDArray[np.int64]
N_VOTES = 10
"""Label vectors that each peer sends."""
MAX_VOTERS = 1_500
"""Rows that are compared pair by pair; others go where they are most at home."""
BLOCK = 2**24


def agreement(votes: Sequence[Labels], rows: Labels, others: Labels) -> npt.NDArray[np.float64]:
    r"""Say how much the peers agree that rows belong together.

    With :math:`V_a \in \mathbb{N}^{n \times R}` the label vectors of peer a, its vote for rows i
    and j is the share of its vectors that put them together. The median over the peers counts: of
    three peers, one can neither join what both others separate nor separate what both join. With
    two peers it is their mean.

    Parameters
    ----------
    votes : sequence of ndarray of shape (n_rows, n_vectors), int64
        One per peer.
    rows, others : ndarray of int64
        Places of the rows to compare.

    Returns
    -------
    ndarray of shape (len(rows), len(others))
        In [0, 1].

    Examples
    --------
    >>> sure, torn = np.array([[0, 0], [0, 0], [1, 1]]), np.array([[0, 0], [0, 1], [1, 1]])
    >>> agreement([sure, sure, torn], np.array([0]), np.arange(3))
    array([[1., 1., 0.]])
    """
    shares = [
        (own[rows][:, None, :] == own[others][None, :, :]).mean(axis=2, dtype=np.float64)
        for own in votes
    ]
    return np.asarray(np.median(shares, axis=0))


def majority(votes: Sequence[Labels], lots: npt.NDArray[np.uint64]) -> Labels:
    """Group rows so that on average more than half of the votes are for being together.

    Average linkage of the agreement, cut at one half. Beyond :data:`MAX_VOTERS` rows those with the
    lowest lots form the groups, and each other row joins the group with which it agrees most.

    Parameters
    ----------
    votes : sequence of ndarray of shape (n_rows, n_vectors), int64
    lots : ndarray of shape (n_rows,), uint64
        The same at every peer.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        Groups by first appearance.

    Examples
    --------
    Two peers see two halves; a third tells all rows apart, and does not matter.

    >>> halves, apart = np.repeat([[0], [1]], 3, axis=0), np.arange(6)[:, None]
    >>> majority([halves, halves, apart], np.arange(6, dtype=np.uint64))
    array([0, 0, 0, 1, 1, 1])
    """
    n_rows = len(votes[0])
    if n_rows < 2:
        return np.zeros(n_rows, dtype=np.int64)
    voters = np.sort(np.argsort(lots, kind="stable")[:MAX_VOTERS])
    apart = 1 - np.vstack([agreement(votes, part, voters) for part in _parts(voters)])
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average")
    # Exactly half of the votes is no majority.
    groups = fcluster(tree, 0.5 - 1e-9, "distance") - 1
    labels = np.empty(n_rows, dtype=np.int64)
    labels[voters] = groups
    member = np.equal.outer(groups, np.arange(groups.max() + 1)).astype(np.float64)
    member /= member.sum(axis=0)
    for part in _parts(np.setdiff1d(np.arange(n_rows), voters)):
        labels[part] = (agreement(votes, part, voters) @ member).argmax(axis=1)
    return unanimous(labels[:, None])


def _parts(rows: Labels) -> list[Labels]:
    """Cut rows into parts whose comparison with all voters fits into memory."""
    size = max(1, BLOCK // (MAX_VOTERS * N_VOTES))
    return [rows[start : start + size] for start in range(0, len(rows), size)]
