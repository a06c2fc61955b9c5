"""Which columns an audit may count: those that vary, each once.

A constant column cannot be rebuilt better than by its own value, and a column that is there five
times would count five times in a median. Both could make a dangerous contribution look harmless,
so they are left out of the scores and named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["NEAR_CONSTANT", "CountedColumns", "count_columns"]

Array = npt.NDArray[np.float64]

NEAR_CONSTANT = 0.98
"""A column counts as near-constant if one value fills at least this share of the rows."""

SAME = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class CountedColumns:
    """The columns that count, and the names of those that do not.

    Parameters
    ----------
    places : ndarray of shape (n_counted,), int
    names : tuple of str, n_counted of them
    near_constant, duplicated : tuple of str
        Left out because they hardly vary; because an earlier column says the same.
    rare : ndarray of shape (n_rare,), int
        Near-constant columns that do vary, such as a diagnosis few people have: left out of the
        median, but attacked and reported on their own.
    rare_names : tuple of str, n_rare of them
    """

    places: npt.NDArray[np.intp]
    names: tuple[str, ...]
    near_constant: tuple[str, ...]
    duplicated: tuple[str, ...]
    rare: npt.NDArray[np.intp]
    rare_names: tuple[str, ...]


def count_columns(X: Array, names: Sequence[str] | None = None) -> CountedColumns:
    """Find the columns of a table that vary, each once.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    names : sequence of str, optional
        By default the columns are called by their numbers.

    Returns
    -------
    CountedColumns

    Examples
    --------
    >>> X = np.array([[1.0, 7.0, 2.0], [2.0, 7.0, 4.0], [5.0, 7.0, 10.0]])
    >>> counted = count_columns(X, ["age", "site", "twice the age"])
    >>> counted.names, counted.near_constant, counted.duplicated
    (('age',), ('site',), ('twice the age',))
    """
    labels = [str(j) for j in range(X.shape[1])] if names is None else list(names)
    varied = np.array([_varies(column) for column in X.T], dtype=bool)
    copies = _copies(X, np.flatnonzero(varied))
    kept = np.array([j for j in np.flatnonzero(varied) if j not in copies], dtype=np.intp)
    rare = np.flatnonzero(~varied & _moves(X))
    return CountedColumns(
        places=kept,
        names=tuple(labels[j] for j in kept),
        near_constant=tuple(labels[j] for j in np.flatnonzero(~varied)),
        duplicated=tuple(labels[j] for j in sorted(copies)),
        rare=rare,
        rare_names=tuple(labels[j] for j in rare),
    )


def _varies(column: Array) -> bool:
    counts = np.unique(column, return_counts=True)[1]
    if counts.max(initial=0) >= NEAR_CONSTANT * len(column):
        return False
    return bool(_moves(column[:, None]).item())


def _moves(X: Array) -> npt.NDArray[np.bool_]:
    """Tell the columns that vary by more than rounding."""
    rounding = 1e-10 * np.abs(X).max(axis=0, initial=0.0)
    return np.asarray(X.std(axis=0) > rounding)


def _copies(X: Array, places: npt.NDArray[np.intp]) -> set[int]:
    """Return the columns that are an earlier one times a factor plus a constant."""
    if len(places) < 2:
        return set()
    centred = X[:, places] - X[:, places].mean(axis=0)
    centred /= np.linalg.norm(centred, axis=0)
    same = np.abs(centred.T @ centred) >= SAME
    return {int(places[j]) for j in range(1, len(places)) if same[j, :j].any()}
