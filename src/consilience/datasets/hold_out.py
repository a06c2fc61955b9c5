"""Rows each party keeps aside to be judged on."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_scalar, column_or_1d

__all__ = ["hold_out"]


def hold_out(
    parties: npt.ArrayLike,
    share: float = 0.2,
    *,
    random_state: int | np.random.Generator | None = None,
) -> npt.NDArray[np.bool_]:
    """Choose the same share of each party's rows at random.

    Parameters
    ----------
    parties : array-like of shape (n,)
        The party of each row.
    share : float, default=0.2
        Above 0 and below 1. A party keeps aside this share of its rows, rounded, but at least one
        if it has two, and never all.
    random_state : int, Generator or None, default=None

    Returns
    -------
    ndarray of bool, shape (n,)
        True for rows kept aside.

    Examples
    --------
    >>> parties = np.repeat([0, 1, 2], [10, 2, 1])
    >>> np.bincount(parties[hold_out(parties, random_state=0)], minlength=3)
    array([2, 1, 0])
    """
    check_scalar(share, "share", Real, min_val=0, max_val=1, include_boundaries="neither")
    names: npt.NDArray[Any] = column_or_1d(parties)
    rng = np.random.default_rng(random_state)
    aside = np.zeros(len(names), dtype=np.bool_)
    for name in np.unique(names):
        rows = rng.permutation(np.flatnonzero(names == name))
        n_aside = min(max(1, round(share * len(rows))), len(rows) - 1)
        aside[rows[:n_aside]] = True
    return aside
