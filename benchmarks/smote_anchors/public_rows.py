"""Rows of a data set that may be published when others of it are private."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["publishable"]

Array = npt.NDArray[np.float64]


def publishable(
    X: Array,
    public: npt.NDArray[Any],
    private: npt.NDArray[Any],
    columns: Sequence[npt.NDArray[np.int64]],
    *,
    common: float = 0.01,
) -> npt.NDArray[Any]:
    """Leave out public rows that a party would refuse, as its user would.

    Some measurements are on record twice. Where twins are common among private rows nobody refuses
    them.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    public, private : ndarray of int
        Rows of X.
    columns : sequence of ndarray of int
        The column groups.
    common : float
        Share of private rows with a twin, in a column group, from which on twins are common.

    Returns
    -------
    ndarray of int, what is left of ``public``

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    >>> publishable(X, np.array([0, 1]), np.array([2]), [np.arange(2)])
    array([1])
    """
    for part in columns:
        slices = [row.tobytes() for row in X[np.ix_(private, part)] + 0.0]
        known = set(slices)
        if len(slices) - len(known) < common * len(slices):
            kept = [i for i in public if (X[i, part] + 0.0).tobytes() not in known]
            public = np.array(kept, dtype=np.intp)
    return public
