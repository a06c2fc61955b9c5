"""Medoids: how central each member of a cluster is to a peer, and whom the peers elect."""

from __future__ import annotations

import hashlib
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

__all__ = [
    "Similarity",
    "candidates",
    "draw_lots",
    "elect",
    "rank_members",
    "rank_positions",
    "total_similarity",
]

Similarity = Literal["center", "cosine", "euclidean", "rbf"]
Labels = npt.NDArray[np.int64]
BLOCK = 2**22


def draw_lots(seed: int, iteration: int, n: int) -> npt.NDArray[np.uint64]:
    """Draw one lot per active row, the same at every peer.

    The lots choose the candidates of a ranking when their number is capped. They come from
    SHAKE-256, because all peers must draw the same ones and NumPy promises no stream across
    versions.

    Examples
    --------
    >>> draw_lots(0, 1, 2) == draw_lots(0, 1, 3)[:2]
    array([ True,  True])
    """
    text = f"consilience candidates {seed} {iteration}".encode()
    return np.frombuffer(hashlib.shake_256(text).digest(8 * n), dtype="<u8").astype(np.uint64)


def candidates(
    labels: Labels,
    max_candidates: int | None = None,
    lots: npt.NDArray[np.uint64] | None = None,
) -> Labels:
    """Choose who can become a medoid: all members of a cluster, or at most N_s of them.

    Parameters
    ----------
    labels : ndarray of shape (n_active,), int64
        Consensus clusters.
    max_candidates : int or None, default=None
        N_s. Clusters with more members keep those with the lowest lots.
    lots : ndarray of shape (n_active,), uint64, or None
        The same at every peer; needed with `max_candidates`.

    Returns
    -------
    ndarray of int64
        Places in the active set, ascending. A cluster of one member has no election, and is
        not among them.

    Examples
    --------
    >>> lots = np.array([5, 1, 3, 9, 0, 4], dtype=np.uint64)
    >>> candidates(np.array([0, 1, 0, 2, 2, 2]), 2, lots)
    array([0, 2, 4, 5])
    """
    shared = np.bincount(labels)[labels] > 1
    if max_candidates is None or lots is None:
        return np.flatnonzero(shared)
    order = np.lexsort((lots, labels))
    within = np.arange(len(labels)) - _starts(labels[order])
    return np.sort(order[(within < max_candidates) & shared[order]])


def _starts(sorted_labels: Labels) -> Labels:
    """Give, for each place of a grouped vector, the place where its group begins."""
    first = np.r_[True, sorted_labels[1:] != sorted_labels[:-1]]
    return np.maximum.accumulate(np.where(first, np.arange(len(sorted_labels)), 0))


def total_similarity(
    X: npt.NDArray[np.float64],
    labels: Labels,
    rows: Labels,
    similarity: Similarity = "cosine",
    weights: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.float64]:
    r"""Add up how similar a row is to the members of its cluster.

    For the cosine, with :math:`\hat x = x / \|x\|`,

    .. math:: \sum_{j \in C} \cos(x_i, x_j) = \hat x_i \cdot \sum_{j \in C} \hat x_j ,

    so all rows together cost :math:`O(n p)`; no matrix of pairs is formed. The same holds for
    ``"center"``, which adds up :math:`-\|x_i - x_j\|^2`: up to what all members have in common that
    is the squared distance to the mean of the cluster. ``"euclidean"``
    adds up :math:`-\|x_i - x_j\|` and ``"rbf"`` :math:`\exp(-\|x_i - x_j\|^2 / p)`, block
    by block: :math:`O(N_s |C| p)` per cluster, which is what the cap on candidates is for.

    Parameters
    ----------
    X : ndarray of shape (n_active, n_features)
    labels : ndarray of shape (n_active,), int64
    rows : ndarray of int64
        Places of the rows to score.
    similarity : {"center", "cosine", "euclidean", "rbf"}, default="cosine"
    weights : ndarray of shape (n_active,), or None, default=None
        How often each member counts; None counts each once.

    Returns
    -------
    ndarray of shape (len(rows),)
        Means over the cluster, rounded to 12 decimals, so that rows that tie in exact
        arithmetic, as the two members of a pair always do, tie here.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [5.0, 5.0]])
    >>> total_similarity(X, np.array([0, 0, 0, 1]), np.arange(3)).round(3)
    array([0.569, 0.569, 0.805])

    Notes
    -----
    A row of zeros has no direction; its cosine with every row is taken as 0.
    """
    counts = np.ones(len(X)) if weights is None else weights
    totals = np.bincount(labels, counts)
    if similarity == "center":
        means = _sums(X, labels, counts) / totals[:, None]
        return np.asarray(np.round(-((X[rows] - means[labels[rows]]) ** 2).sum(axis=1), 12))
    if similarity == "cosine":
        norms = np.linalg.norm(X, axis=1)
        unit = X / np.where(norms > 0, norms, 1.0)[:, None]
        scores = np.einsum("ij,ij->i", unit[rows], _sums(unit, labels, counts)[labels[rows]])
    else:
        scores = np.empty(len(rows))
        order = np.argsort(labels, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(labels))[:-1])
        wanted = np.argsort(labels[rows], kind="stable")
        for group in np.split(wanted, np.flatnonzero(np.diff(labels[rows[wanted]])) + 1):
            if len(group):
                inside = members[labels[rows[group[0]]]]
                scores[group] = _pair_sums(X[rows[group]], X[inside], counts[inside], similarity)
    return np.asarray(np.round(scores / totals[labels[rows]], 12))


def _sums(
    X: npt.NDArray[np.float64], labels: Labels, counts: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Add up the rows of each cluster, each as often as it counts."""
    order = np.argsort(labels, kind="stable")
    first = np.flatnonzero(np.r_[True, np.diff(labels[order]) > 0])
    return np.asarray(np.add.reduceat((X * counts[:, None])[order], first, axis=0))


def _pair_sums(
    X: npt.NDArray[np.float64],
    Y: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    similarity: Similarity,
) -> npt.NDArray[np.float64]:
    n_rows = max(1, BLOCK // len(Y))
    sums = []
    for start in range(0, len(X), n_rows):
        block = X[start : start + n_rows]
        if similarity == "euclidean":
            sums.append(-cdist(block, Y) @ counts)
        else:
            sums.append(np.exp(-cdist(block, Y, "sqeuclidean") / X.shape[1]) @ counts)
    return np.concatenate(sums)


def rank_members(
    scores: npt.NDArray[np.float64], labels: Labels, rows: Labels
) -> npt.NDArray[np.int64]:
    """Order the candidates of each cluster from the most to the least central.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates,)
    labels : ndarray of shape (n_active,), int64
    rows : ndarray of shape (n_candidates,), int64
        Places of the candidates in the active set.

    Returns
    -------
    ndarray of shape (n_candidates,), int64
        The places, cluster after cluster; ties by the lower place.

    Examples
    --------
    >>> labels, rows = np.array([1, 0, 1, 1, 0]), np.array([0, 1, 2, 3])
    >>> rank_members(np.array([0.1, 0.9, 0.9, 0.2]), labels, rows)
    array([1, 2, 3, 0])
    """
    return rows[np.lexsort((rows, -scores, labels[rows]))]


def rank_positions(order: Labels, labels: Labels, rows: Labels) -> Labels:
    """Turn a ranked list into the rank of each candidate, from 0 in each cluster.

    Examples
    --------
    >>> labels, rows = np.array([1, 0, 1, 1, 0]), np.array([0, 1, 2, 3])
    >>> rank_positions(np.array([1, 2, 3, 0]), labels, rows)
    array([2, 0, 0, 1])
    """
    ranks = np.empty(len(labels), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - _starts(labels[order])
    return ranks[rows]


def elect(
    ranks: Labels, labels: Labels, rows: Labels, rule: Literal["sum", "median"] = "sum"
) -> Labels:
    r"""Elect one medoid per cluster (``ChooseMedByScore``, section 2.2 of [Belucci2026]_).

    The member with the lowest :math:`S(m) = \sum_a \mathrm{rank}_a(m)` wins; ties go to the
    lowest place, which is the lowest identifier.

    Parameters
    ----------
    ranks : ndarray of shape (n_peers, n_candidates), int64
        From :func:`rank_positions`.
    labels : ndarray of shape (n_active,), int64
    rows : ndarray of shape (n_candidates,), int64
    rule : {"sum", "median"}, default="sum"
        ``"median"`` takes the median rank, then the sum: fewer than half of the peers
        cannot move it beyond the ranks of the others.

    Returns
    -------
    ndarray of shape (n_clusters,), int64
        The place of the medoid of cluster 0, 1, ... in the active set.

    Examples
    --------
    >>> ranks = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1]])
    >>> elect(ranks, np.array([0, 0, 1, 0]), np.array([0, 1, 3]))
    array([1, 2])
    """
    medoids = np.empty(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    medoids[labels] = np.arange(len(labels))
    if len(rows):
        total = ranks.sum(axis=0)
        score = total if rule == "sum" else np.median(ranks, axis=0)
        order = np.lexsort((rows, total, score, labels[rows]))
        grouped = labels[rows[order]]
        winners = order[np.r_[True, grouped[1:] != grouped[:-1]]]
        medoids[labels[rows[winners]]] = rows[winners]
    return medoids
