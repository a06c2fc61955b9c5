r"""How far an anchor is from the rows it stands for (section 4.1 of [Imakura2023]_).

.. math:: \mathrm{EMD} = \min_\pi \frac1n \sum_i \|x_i - x^{anc}_{\pi(i)}\|, \qquad
          \mathrm{AMD}(X, A) = \frac1n \sum_i \min_j \|x_i - a_j\|

AMD(raw) is AMD(X, X^anc) and AMD(anc) is AMD(X^anc, X). They measure *closeness*, not whether rows
can be rebuilt: a far anchor inverts a party's reduction as well as a near one.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances_argmin_min

from benchmarks.problems import Array

EXACT_ROWS = 2_000
"""Largest number of rows whose assignment is solved exactly; it grows with the cube."""

N_SAMPLES = 5


def average_minimum_distance(X: Array, A: Array) -> float:
    """Return the mean distance from the rows of X to the nearest row of A.

    Examples
    --------
    >>> average_minimum_distance(np.array([[0.0], [3.0]]), np.array([[1.0], [9.0]]))
    1.5
    """
    return float(pairwise_distances_argmin_min(X, A)[1].mean())


def earth_movers_distance(X: Array, A: Array, *, n_exact: int = EXACT_ROWS, seed: int = 0) -> float:
    """Return the mean distance between rows of X and rows of A under the best assignment.

    Above ``n_exact`` rows, or where there are more of one than of the other, it is the mean over 5
    pairs of random samples of the smaller number of rows. Samples lie farther apart than the whole
    sets do, so such a value is an upper estimate.

    Examples
    --------
    >>> earth_movers_distance(np.array([[0.0], [3.0]]), np.array([[4.0], [0.5]]))
    0.75
    """
    if len(X) == len(A) <= n_exact:
        return _assigned(X, A)
    size, rng = min(len(X), len(A), n_exact), np.random.default_rng(seed)
    values = [
        _assigned(
            X[rng.choice(len(X), size, replace=False)], A[rng.choice(len(A), size, replace=False)]
        )
        for _ in range(N_SAMPLES)
    ]
    return float(np.mean(values))


def _assigned(X: Array, A: Array) -> float:
    distances = cdist(X, A)
    return float(distances[linear_sum_assignment(distances)].mean())
