"""Clusters of a repeated study keep the names they had."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import pairwise_distances

__all__ = ["Named", "follow"]

Array = npt.NDArray[np.float64]
Names = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Named:
    """Clusters, what each is called, and the first name that was never given.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features)
    names : ndarray of shape (n_clusters,)
    unused : int
    """

    centers: Array
    names: Names
    unused: int


def follow(centers: Array, former: Named | None) -> Named:
    """Name clusters by those of an earlier answer.

    Clusters are paired so that paired centres are as close as they can be, all together. A cluster
    takes the name of its partner if no other earlier centre is nearer to it; else it has a name
    that was never used. Without an earlier answer clusters are called by their places.

    Parameters
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        In the units of the study.
    former : Named, optional

    Examples
    --------
    >>> first = follow(np.array([[0.0], [5.0], [9.0]]), None)
    >>> again = follow(np.array([[9.2], [0.1], [30.0], [5.1]]), first)
    >>> again.names.tolist(), again.unused
    ([2, 0, 3, 1], 4)
    """
    if former is None:
        return Named(centers, np.arange(len(centers)), len(centers))
    distances = pairwise_distances(centers, former.centers)
    names, unused = np.full(len(centers), -1), former.unused
    for new, old in zip(*linear_sum_assignment(distances), strict=True):
        if distances[new].argmin() == old:
            names[new] = former.names[old]
    fresh = names < 0
    names[fresh] = unused + np.arange(fresh.sum())
    return Named(centers, names, unused + int(fresh.sum()))
