"""The grid of institutions over one table: who holds which rows and which columns (Eq. 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Holdings", "Place", "column_groups", "row_groups"]

Index = npt.NDArray[np.intp]


class Place(NamedTuple):
    """A place of the grid: the row institution and the column group of a party.

    Examples
    --------
    >>> Place.of("hospital-a/clinical").column, str(Place("hospital-a", "clinical"))
    ('clinical', 'hospital-a/clinical')
    """

    row: str
    column: str

    @classmethod
    def of(cls, party: str) -> Place:
        """Read the name of a party; a name without a slash is a row institution alone."""
        row, _, column = party.partition("/")
        return cls(row, column)

    def __str__(self) -> str:
        return f"{self.row}/{self.column}"


@dataclass(frozen=True, eq=False)
class Holdings:
    """Index arrays of the row institutions and of the column groups of a table.

    Parameters
    ----------
    names : list
        The row institutions, as the user named them, sorted.
    rows : list of ndarray
        Rows of each row institution, in the order of the table.
    columns : list of ndarray
        Columns of each column group.
    """

    names: list[Any]
    rows: list[Index]
    columns: list[Index]

    @property
    def row_names(self) -> list[str]:
        """Names for the roles; a user's name may be any value, these are plain."""
        return [str(i) for i in range(len(self.rows))]

    @property
    def column_names(self) -> list[str]:
        """Names for the roles."""
        return [str(j) for j in range(len(self.columns))]

    def cells(self) -> Iterator[tuple[str, int, int]]:
        """Yield the name of each party with the places of its row and column group."""
        for i, row in enumerate(self.row_names):
            for j, column in enumerate(self.column_names):
                yield f"{row}/{column}", i, j


def row_groups(parties: Any, n_rows: int) -> tuple[list[Any], list[Index]]:
    """Return the row institutions, sorted, and the rows of each.

    Examples
    --------
    >>> names, rows = row_groups(["b", "a", "b"], 3)
    >>> names, [r.tolist() for r in rows]
    (['a', 'b'], [[1], [0, 2]])
    """
    if parties is None:
        return ["all"], [np.arange(n_rows)]
    # Loaded only now: a study knows places too, and is read without scikit-learn.
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    parties = column_or_1d(parties)
    if len(parties) != n_rows:
        check_consistent_length(parties, np.empty(n_rows))
    missing = pd.isna(parties)
    if missing.any():
        raise ValueError(
            f"parties has {missing.sum()} missing values; name the institution of every row."
        )
    codes, names = pd.factorize(parties, sort=True)
    return names.tolist(), [np.flatnonzero(codes == k).astype(np.int32) for k in range(len(names))]


def column_groups(
    columns: Sequence[Any] | None,
    n_features: int,
    feature_names: npt.NDArray[Any] | None = None,
) -> list[Index]:
    """Return the column indices of each group, which must cover every column exactly once.

    Parameters
    ----------
    columns : sequence of sequences of int or str, or None
        Indices or names; None means one group that holds all columns.
    n_features : int
    feature_names : ndarray of str, optional

    Examples
    --------
    >>> [g.tolist() for g in column_groups([["age", "weight"], ["income"]], 3,
    ...                                    np.array(["age", "income", "weight"]))]
    [[0, 2], [1]]
    """
    if columns is None:
        return [np.arange(n_features)]
    place = {} if feature_names is None else {str(n): k for k, n in enumerate(feature_names)}
    groups = []
    for j, group in enumerate(columns):
        if len(group) == 0:
            raise ValueError(f"columns[{j}] is empty: a column group holds at least one column.")
        groups.append(np.array([_column_index(c, place, n_features) for c in group], dtype=np.intp))
    counts = np.bincount(np.concatenate(groups), minlength=n_features)
    labels = np.arange(n_features) if feature_names is None else feature_names
    if (counts > 1).any():
        raise ValueError(
            f"columns names {labels[counts > 1].tolist()} more than once; every column belongs to "
            f"one group. Remove the overlap."
        )
    if (counts == 0).any():
        raise ValueError(
            f"columns does not name {labels[counts == 0].tolist()}; every column belongs to one "
            f"group. Add them, or drop them from X."
        )
    return groups


def _column_index(column: Any, place: dict[Any, int], n_features: int) -> int:
    if isinstance(column, str):
        if column not in place:
            known = f"the columns are {list(place)}" if place else "X has no column names"
            raise ValueError(f"columns names {column!r}, but {known}.")
        return place[column]
    if not -n_features <= column < n_features:
        raise ValueError(
            f"columns names index {column}, but X has {n_features} columns (0 to {n_features - 1})."
        )
    return int(column) % n_features
