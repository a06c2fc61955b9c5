"""Which edges are too old, compiled."""

from __future__ import annotations

import numpy as np

from consilience.continual.nodes.kernels.compiler import compiled

__all__ = ["deletion_threshold"]


@compiled
def deletion_threshold(ages, deleted_mean, n_deleted, whisker):
    """Return the age above which an edge of the winner is deleted, Eqs. (27) and (28)."""
    if ages.size == 0:
        return np.inf
    ages = np.sort(ages)
    middle = _median(ages)
    below, above = 0, ages.size
    while ages[below] < middle:
        below += 1
    while ages[above - 1] > middle:
        above -= 1
    if below == 0 or above == ages.size:
        return np.inf
    q1, q3 = _median(ages[:below]), _median(ages[above:])
    weight = n_deleted / (n_deleted + ages.size)
    return deleted_mean * weight + (q3 + whisker * (q3 - q1)) * (1.0 - weight)


@compiled
def _median(ages):
    """Return the median of ages that are sorted."""
    half = ages.size // 2
    return 0.5 * (ages[half] + ages[half - 1 + ages.size % 2])
