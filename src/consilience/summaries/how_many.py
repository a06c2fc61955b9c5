r"""How many clusters there are, told by centres with weights.

Centres are few, and noise moves them: the best silhouette of centres goes to as many clusters as it
may choose, each a crowd that lies in one place. What noise made at one institution is not there at
another. So the clusters of all institutions but one are tried on the centres of that one: with
:math:`E_k` the mean squared distance to the nearest of k such clusters,

.. math:: \mathrm{gap}(k) = \frac 1 B \sum_b \log E_k^{(b)} - \log E_k

compares it with what is left of centres spread evenly over the same box, along principal axes, with
the same weights, as the gap statistic [Tibshirani2001]_ does without holding anything back. One
cluster is taken unless another number is better by two standard errors; else the smallest number
whose gap is within one standard error of the largest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans

__all__ = ["MAX_AUTO", "choose_number"]

Array = npt.NDArray[np.float64]

MAX_AUTO = 10
BEYOND = 2
"""Larger numbers are tried, too, so that the largest gap can stand out."""
N_REFERENCES = 5
N_STARTS = 3
MAX_FOLDS = 5
MAX_CENTERS = 1_500
"""Of more, a sample is looked at."""


def choose_number(Z: Array, weights: Array, senders: npt.NDArray[np.intp], seed: int) -> int:
    """Choose the number of clusters in the centres of several institutions.

    Parameters
    ----------
    Z : ndarray of shape (n_centers, n_features)
    weights : ndarray of shape (n_centers,)
        How many rows each stands for; above 0.
    senders : ndarray of shape (n_centers,), int
        Whose each is, numbered from 0. With one institution its own centres are held back in turn.
    seed : int

    Returns
    -------
    int
        From 1 to 10.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Z = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 8, axis=0) + rng.normal(size=(24, 2))
    >>> choose_number(Z, np.ones(24), np.arange(24) % 4, seed=0)
    3
    >>> choose_number(rng.normal(size=(24, 2)), np.ones(24), np.arange(24) % 4, seed=0)
    1
    """
    rng = np.random.default_rng(seed)
    if len(Z) > MAX_CENTERS:
        kept = np.sort(rng.choice(len(Z), MAX_CENTERS, replace=False, p=weights / weights.sum()))
        Z, weights, senders = Z[kept], np.ones(MAX_CENTERS), senders[kept]
    folds = _folds(senders, rng)
    fewest = min(len(np.unique(Z[folds != fold], axis=0)) for fold in np.unique(folds))
    n_tried = min(MAX_AUTO + BEYOND, fewest)
    if n_tried < 2:
        return 1
    centred = Z - np.average(Z, axis=0, weights=weights)
    axes = np.linalg.svd(centred * np.sqrt(weights)[:, None], full_matrices=False)[2]
    turned = centred @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    left = _held_back(turned, weights, folds, n_tried, seed)
    even = np.array(
        [
            _held_back(rng.uniform(low, high, turned.shape), weights, folds, n_tried, seed)
            for _ in range(N_REFERENCES)
        ]
    )
    gaps = even.mean(axis=0) - left
    errors = even.std(axis=0) * np.sqrt(1 + 1 / N_REFERENCES)
    best = int(gaps.argmax())
    if gaps[0] >= gaps[best] - 2 * errors[best]:
        return 1
    return min(int((gaps >= gaps[best] - errors[best]).argmax()) + 1, MAX_AUTO)


def _folds(senders: npt.NDArray[np.intp], rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return which centres are held back together: those of an institution, or of some."""
    n_senders = len(np.unique(senders))
    if n_senders < 2:
        return np.asarray(rng.permutation(len(senders)) % min(MAX_FOLDS, len(senders)))
    return np.asarray(rng.permutation(senders.max() + 1)[senders] % MAX_FOLDS)


def _held_back(
    Z: Array, weights: Array, folds: npt.NDArray[np.intp], n_tried: int, seed: int
) -> Array:
    """Return log E_k for each number from 1 on."""
    errors = np.zeros(n_tried)
    for fold in np.unique(folds):
        out = folds == fold
        others = ~out if (~out).any() else out
        for k in range(1, n_tried + 1):
            model = KMeans(k, n_init=N_STARTS, random_state=seed)
            model.fit(Z[others], sample_weight=weights[others])
            ways = model.transform(Z[out]).min(axis=1)
            errors[k - 1] += float(weights[out] @ ways**2)
    # Centres that all lie on a few points leave nothing, of which there is no logarithm.
    floor = 1e-12 * float(weights @ (Z**2).sum(axis=1))
    return np.asarray(np.log(np.maximum(errors, max(floor, np.finfo(float).tiny))))
