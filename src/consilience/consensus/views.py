"""Which columns each peer of an estimator holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["column_views"]


def column_views(
    columns: Sequence[Sequence[Any]] | None,
    n_features: int,
    names: npt.NDArray[np.object_] | None = None,
) -> list[npt.NDArray[np.intp]]:
    """Turn lists of column numbers or names into one array of places per peer.

    Peers may share columns, and a column may be held by nobody.

    Parameters
    ----------
    columns : list of lists of int or str, or None
        None means one peer that holds all columns.
    n_features : int
    names : ndarray of str, or None
        Names of the columns, where there are any.

    Examples
    --------
    >>> column_views([["age", "sex"], [1, 2]], 3, np.array(["age", "sex", "sum"], dtype=object))
    [array([0, 1]), array([1, 2])]
    """
    if columns is None:
        return [np.arange(n_features)]
    places = {} if names is None else {name: k for k, name in enumerate(names)}
    views = []
    for peer, view in enumerate(columns):
        found = [places.get(c, c) for c in view]
        wrong = [
            c
            for c in found
            if not isinstance(c, (int, np.integer)) or not -n_features <= c < n_features
        ]
        if wrong or not found:
            raise ValueError(
                f"columns[{peer}] == {list(view)}, must hold at least one column, each a number in "
                f"[0, {n_features}) or a name of X."
            )
        views.append(np.array(found, dtype=np.intp) % n_features)
    if not views:
        raise ValueError("columns is empty, must hold one list of columns per peer.")
    return views
