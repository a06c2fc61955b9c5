r"""Capacity: whether what is sent of a row has room for all of it, whoever finds it.

Coordinates with covariance C and accuracies r tell at most

.. math:: \tfrac12 \log_2 \det C - \sum_d \log_2 r_d

bits of a row. A column that holds N different values is :math:`\log_2 N` bits at most. Where the
first exceeds the sum of the second by far, one row alone fits what was sent, even if no attack that
we know finds it: with enough time one can try them all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.privacy.audits.decoding import look_past
from consilience.privacy.audits.forward_map import ForwardMap

__all__ = ["count_values", "surplus_bits"]

Array = npt.NDArray[np.float64]


def surplus_bits(
    representation: Array,
    f: ForwardMap,
    like: Array,
    groups: Sequence[Sequence[int]] = (),
    noise: Array | None = None,
) -> float:
    """Return by how many bits what is sent exceeds what rows hold.

    Parameters
    ----------
    representation : ndarray of shape (n_rows, n_components)
    f : ForwardMap
        The map behind it, and how accurately it is known.
    like : ndarray of shape (n_like, n_features)
        Rows alike. Columns in which no value comes twice hold any number: they disturb what is
        sent of the others.
    groups : sequence of sequence of int
        Columns that are the categories of one variable.
    noise : ndarray of shape (n_features, n_features), optional
        Covariance of the noise on a row.

    Examples
    --------
    Three numbers below 100 are 20 bits; a coordinate to 12 decimals has twice as many.

    >>> rng = np.random.default_rng(0)
    >>> X, F = rng.integers(100, size=(2000, 3)).astype(float), np.sqrt([[2.0], [3.0], [5.0]])
    >>> for accuracy in (1e-12, 1e-2):
    ...     f = ForwardMap(F, np.zeros(1), np.full(1, accuracy))
    ...     print(round(surplus_bits(X @ F, f, X)))
    26
    -7
    """
    grouped = {j for group in groups for j in group}
    alone = [(j,) for j in range(like.shape[1]) if j not in grouped]
    held, loose = 0.0, []
    for columns in [*alone, *groups]:
        n_values = count_values(like[:, list(columns)])
        if n_values == np.inf:
            loose += list(columns)
        else:
            held += float(np.log2(n_values))
    accuracy = f.accuracy(like.mean(axis=0), np.cov(like.T))
    # Of a coordinate in which all that the map was learnt from is rounded to 0, nothing is known.
    accuracy = np.where(accuracy > 0, accuracy, np.inf)
    disturbing, spread = f.linear[loose], np.atleast_2d(np.cov(like[:, loose].T))
    if not loose:
        spread = np.zeros((0, 0))
    if noise is not None:
        disturbing = np.vstack([disturbing, f.linear])
        spread = np.block(
            [
                [spread, np.zeros((len(spread), len(noise)))],
                [np.zeros((len(noise), len(spread))), noise],
            ]
        )
    told = representation / accuracy @ look_past(disturbing / accuracy, spread)
    sizes = np.linalg.svd(told - told.mean(axis=0), compute_uv=False) / np.sqrt(len(told))
    # A direction in which noise is all there is tells nothing.
    return float(np.log2(np.maximum(sizes, 1.0)).sum()) - held


def count_values(columns: Array) -> float:
    """Estimate how many different values columns have together, infinity if no value comes twice.

    By how many were seen once and twice [Chao1984]_.

    Examples
    --------
    >>> count_values(np.array([[1.0], [1], [2], [2], [3]]))
    3.25
    """
    _, counts = np.unique(columns, axis=0, return_counts=True)
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    if once == len(columns):
        return np.inf
    return len(counts) + once**2 / (2 * max(1, twice))
