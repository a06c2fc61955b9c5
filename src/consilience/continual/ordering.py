"""In which order are the parties' nodes presented: Algorithm 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["sort_by_wins"]

FloatArray = npt.NDArray[np.float64]


def sort_by_wins(
    nodes: Sequence[FloatArray],
    counts: Sequence[npt.NDArray[np.int64]],
    random_state: np.random.RandomState,
) -> FloatArray:
    """Put the nodes that won often before the others, in random order within both groups.

    Algorithm 3 of [Masuyama2024]_: the similarity threshold is estimated from the first nodes
    presented, so they should be the ones that stand for many rows.

    Parameters
    ----------
    nodes : sequence of ndarray of shape (n_c, d)
        The nodes of each party.
    counts : sequence of ndarray of shape (n_c,)
        Their winning counts. A party's often-winning nodes are those at or above the 75th
        percentile of its own counts.
    random_state : numpy.random.RandomState
        Shuffles the first group, then the second. It is the legacy generator because the
        published tables were made with it.

    Returns
    -------
    ndarray of shape (sum of n_c, d)

    Examples
    --------
    >>> nodes = [np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[4.0]])]
    >>> counts = [np.array([1, 1, 1, 9]), np.array([1])]
    >>> sort_by_wins(nodes, counts, np.random.RandomState(0)).ravel().tolist()
    [4.0, 3.0, 2.0, 0.0, 1.0]
    """
    often = np.concatenate([_often(M) for M in counts])
    groups = [np.flatnonzero(often), np.flatnonzero(~often)]
    order = [group[random_state.permutation(len(group))] for group in groups]
    return np.concatenate(nodes)[np.concatenate(order)]


def _often(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return who is at or above the 75th percentile: none of the values lies below it alone."""
    if not counts.size:
        return np.empty(0, dtype=bool)
    place = counts.size - 1 - (counts.size - 1) // 4
    often: npt.NDArray[np.bool_] = counts >= np.partition(counts, place)[place]
    return often
