"""Which cluster is which: lasting names for clusters that grow, merge, split and vanish."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

__all__ = ["Succession", "name_clusters"]

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Succession:
    """What became of the clusters from one round to the next.

    Parameters
    ----------
    names : tuple of int
        Lasting name of each cluster of the new round, by its number there.
    births : tuple of int
        Names given for the first time to clusters of points that were not there before.
    splits : tuple of (int, int)
        Pairs (new name, name of the cluster most of its points came from).
    merges : tuple of (int, int)
        Pairs (name that is gone, name of the cluster that took most of its points).
    deaths : tuple of int
        Names that are gone with all their points.
    """

    names: tuple[int, ...]
    births: tuple[int, ...] = ()
    splits: tuple[tuple[int, int], ...] = ()
    merges: tuple[tuple[int, int], ...] = ()
    deaths: tuple[int, ...] = ()


def name_clusters(
    before: IntArray,
    after: IntArray,
    weights: npt.NDArray[np.float64],
    n_clusters: int,
    known: IntArray,
    next_name: int,
) -> Succession:
    """Name the clusters of a round by those of the last round they overlap most.

    The names are handed on so that the total weight of the points that keep their name is as
    large as possible (an assignment problem). A name is never used twice for different clusters.

    Parameters
    ----------
    before : ndarray of shape (n,)
        Name of the cluster of each point in the last round, -1 for points that are new.
    after : ndarray of shape (n,)
        Number of the cluster of each point in the new round, in [0, n_clusters).
    weights : ndarray of shape (n,)
        Weight of each point, > 0.
    n_clusters : int
        Clusters of the new round, with or without points.
    known : ndarray
        Names of all clusters of the last round, with or without points, in ascending order.
    next_name : int
        First name that was never given.

    Returns
    -------
    Succession

    Examples
    --------
    >>> before = np.array([0, 0, 0, 1, 1, 2, -1])
    >>> after = np.array([0, 0, 2, 1, 1, 1, 3])
    >>> name_clusters(before, after, np.ones(7), 4, np.array([0, 1, 2, 3]), 4)
    Succession(names=(0, 1, 4, 5), births=(5,), splits=((4, 0),), merges=((2, 1),), deaths=(3,))
    """
    overlap = np.zeros((len(known), n_clusters))
    stayed = np.isin(before, known)
    old = np.searchsorted(known, before[stayed])
    np.add.at(overlap, (old, after[stayed]), weights[stayed])
    names = [-1] * n_clusters
    for k, cluster in zip(*linear_sum_assignment(overlap, maximize=True), strict=True):
        if overlap[k, cluster] > 0:
            names[cluster] = int(known[k])
    births, splits = [], []
    heaviest = np.bincount(after, weights=weights, minlength=n_clusters)
    for cluster in np.argsort(-heaviest, kind="stable"):
        if names[cluster] >= 0:
            continue
        names[cluster] = next_name
        next_name += 1
        if len(known) and overlap[:, cluster].any():
            source = int(known[overlap[:, cluster].argmax()])
            splits.append((names[cluster], source))
        else:
            births.append(names[cluster])
    gone = [k for k, name in enumerate(known) if int(name) not in names]
    merges = [(int(known[k]), names[overlap[k].argmax()]) for k in gone if overlap[k].any()]
    deaths = [int(known[k]) for k in gone if not overlap[k].any()]
    return Succession(tuple(names), tuple(births), tuple(splits), tuple(merges), tuple(deaths))
