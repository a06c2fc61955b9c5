r"""Rows that some column did not send: the missing coordinates, estimated from the others.

For a row of which only the coordinates :math:`a` are known, the missing ones are the linear
prediction :math:`\mu_b + (a - \mu_a) B`, with :math:`B` fitted by least squares on the rows that
are complete, slightly regularised. It uses what the analyst has received and nothing else.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["fill_missing"]

Array = npt.NDArray[np.float64]

RIDGE = 1e-6
"""Added to the covariance, as a share of its mean diagonal."""


def fill_missing(X: Array) -> Array:
    """Return a copy of X with every NaN replaced by its prediction.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        With at least one complete row; few patterns of missing columns.

    Examples
    --------
    >>> fill_missing(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, np.nan]])).round(3)[-1]
    array([3., 6.])
    """
    missing = np.isnan(X)
    complete = X[~missing.any(axis=1)]
    if not len(complete):
        raise ValueError("no row is complete: missing coordinates cannot be estimated.")
    mean = complete.mean(axis=0)
    centred = complete - mean
    covariance = centred.T @ centred / len(complete)
    filled = X.copy()
    for pattern in np.unique(missing[missing.any(axis=1)], axis=0):
        rows = (missing == pattern).all(axis=1)
        known = ~pattern
        inside = covariance[np.ix_(known, known)]
        ridge = RIDGE * (np.trace(inside) / max(known.sum(), 1) or 1.0)
        B = np.linalg.solve(
            inside + ridge * np.eye(known.sum()), covariance[np.ix_(known, pattern)]
        )
        filled[np.ix_(rows, pattern)] = mean[pattern] + (X[np.ix_(rows, known)] - mean[known]) @ B
    return filled
