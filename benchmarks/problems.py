"""What the problems of all papers share: arrays, the cells they are measured into, units."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Cells = Iterator[tuple[tuple[str, ...], float]]
"""Numbers, each with the cell it belongs to: table, data, setting, method and metric."""


def standardise(X: Array) -> Array:
    """Centre each column and divide it by its standard deviation; constant ones are centred only.

    Examples
    --------
    >>> standardise(np.array([[1.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
