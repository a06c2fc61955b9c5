"""The published noise, kept for the published epsilon study only.

It is **not** differentially private: the sensitivity is read from the rows it should hide (a
feature that does not vary receives none), the budget is spent anew on every feature, and all
clients draw from one seed. Institutions use `consilience.privacy`.
"""

from __future__ import annotations

import numpy as np

from benchmarks.problems import Array


def published_noise(X: Array, epsilon: float, seed: int) -> Array:
    r"""Add Laplace noise as in Eqs. (2) to (4) of [Masuyama2024]_.

    .. math:: x' = x - \frac{\Delta_j}{\epsilon}\, \mathrm{sgn}(v) \ln(1 - 2 |v|), \qquad
              v \sim U(-1/2, 1/2), \qquad \Delta_j = \max_i x_{ij} - \min_i x_{ij}

    X are the rows of one client, epsilon is the budget per feature.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 5.0]])
    >>> noisy = published_noise(X, 15.0, seed=0)
    >>> noisy[:, 1].tolist(), bool((noisy[:, 0] != X[:, 0]).all())
    ([5.0, 5.0], True)
    """
    v = np.random.RandomState(seed).uniform(-0.5, 0.5, size=X.shape)
    sensitivity = np.ptp(X, axis=0)
    noisy: Array = X - sensitivity / epsilon * np.sign(v) * np.log1p(-2.0 * np.abs(v))
    return noisy
