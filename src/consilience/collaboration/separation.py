r"""Do clusters tell institutions apart? Mutual information against what shuffled labels give.

From the rows of each institution in each cluster, the normalised mutual information

.. math:: \mathrm{NMI} = \frac{2 I(\mathrm{institution}, \mathrm{cluster})}
          {H(\mathrm{institution}) + H(\mathrm{cluster})}

is 0 if knowing the institution says nothing about the cluster and 1 if it says all. Chance alone
makes it positive, the more so the fewer rows there are; so it is compared with tables of the same
margins drawn at random, which is what shuffling the labels gives [Patefield1981]_.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import random_table

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.partition import count_clusters

__all__ = ["ALMOST", "Separation", "cluster_counts", "separation", "tell_separation"]

N_DRAWS = 200
NOTICEABLE = 0.05
"""Mutual information above chance from which on it matters: with many rows, any is significant."""
ALMOST = 0.9
"""Mutual information from which on clusters are no more than the institutions."""


class Separation(NamedTuple):
    """How well clusters tell institutions apart.

    Attributes
    ----------
    nmi : float
        Normalised mutual information of institutions and clusters.
    by_chance : float
        The largest of 200 draws with labels shuffled.
    """

    nmi: float
    by_chance: float

    @property
    def noticeable(self) -> bool:
        """Whether clusters say more about institutions than chance does, and not little more."""
        return self.nmi > self.by_chance + NOTICEABLE


def separation(counts: npt.NDArray[np.int64]) -> Separation:
    """Measure how well clusters tell institutions apart.

    Parameters
    ----------
    counts : ndarray of shape (n_institutions, n_clusters)
        The rows of each institution in each cluster.

    Examples
    --------
    >>> separation(np.array([[50, 0], [0, 50]])).nmi
    1.0
    >>> separation(np.array([[30, 20], [28, 22]])).noticeable
    False
    """
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape, default=0) < 2:
        return Separation(0.0, 0.0)
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    draws = random_table(rows, columns, seed=0).rvs(N_DRAWS)
    return Separation(_nmi(counts), max(_nmi(table) for table in draws))


def cluster_counts(analyst: Analyst) -> npt.NDArray[np.int64]:
    """Return the rows of each row institution in each cluster."""
    n_clusters = analyst.partition.n_clusters
    counts, start = [], 0
    for join in analyst.joins.values():
        labels = analyst.partition.labels[start : start + join.n_rows]
        counts.append(count_clusters(labels, n_clusters))
        start += join.n_rows
    return np.array(counts, dtype=np.int64)


def tell_separation(counts: npt.NDArray[np.int64]) -> list[str]:
    """Return the warning, if clusters tell institutions apart.

    Examples
    --------
    >>> tell_separation(np.array([[50, 0], [0, 50]]))[0].partition(":")[0]
    'The clusters are almost exactly the row institutions'
    """
    apart = separation(counts)
    if not apart.noticeable:
        return []
    said = (
        "The clusters are almost exactly the row institutions"
        if apart.nmi >= ALMOST
        else "The clusters tell institutions apart"
    )
    return [
        f"{said}: normalised mutual information {apart.nmi:.2f}, and at most {apart.by_chance:.2f} "
        f"if labels are shuffled. Their rows may truly differ, or they are not well aligned: "
        f"alignment.target = 'population' expects from all rows what an institution dropped."
    ]


def _nmi(counts: npt.NDArray[Any]) -> float:
    shares = counts / counts.sum()
    of_rows, of_columns = _entropy(shares.sum(axis=1)), _entropy(shares.sum(axis=0))
    shared = of_rows + of_columns - _entropy(shares.ravel())
    return float(2 * shared / (of_rows + of_columns))


def _entropy(shares: npt.NDArray[np.float64]) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())
