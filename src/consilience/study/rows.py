"""The rows of a party: its table as the study says, with a pseudonym for each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.exceptions import TableError
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study

__all__ = ["Rows", "beside_ids", "cluster_table", "read_rows"]

Codes = npt.NDArray[np.uint8]
CLUSTER = "cluster"
"""The column of labels in what a party gets."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a party that take part, in the order of their pseudonyms.

    Parameters
    ----------
    ids : Series of str
        Every id of the table, as written there.
    kept : ndarray of int
        Places in the table of the rows that take part.
    matrix : ndarray of shape (n_kept, n_features)
    pseudonyms : ndarray of shape (n_kept, 16)
    notes : list of str
        What was filled, clipped or left out, in counts.
    target : ndarray of shape (n_kept,), or None
        The class of each row as a text, None where it is empty; in a study that learns.
    table : DataFrame, optional
        The table as it is, without the id column, in its own order; where it was asked for.
    """

    ids: pd.Series
    kept: npt.NDArray[np.intp]
    matrix: npt.NDArray[np.float64]
    pseudonyms: npt.NDArray[np.uint8]
    notes: list[str]
    target: npt.NDArray[np.object_] | None = None
    table: pd.DataFrame | None = None


def read_rows(
    study: Study,
    name: str,
    source: Source,
    row_key: bytes,
    *,
    with_table: bool = False,
    renamed: Callable[[Codes], Codes] | None = None,
) -> Rows:
    """Read a party's table as the study says.

    Parameters
    ----------
    study : Study
    name : str
        The party.
    source : Source
    row_key : bytes
    with_table : bool
        Whether the table itself is returned, too.
    renamed : callable, optional
        Gives rows the pseudonyms of a match, where the row key is the party's own.
    """
    checked = check_table(study, name, source)
    encoded = checked.accepted()
    ids, chosen = checked.ids, checked.chosen
    notes = [str(fault) for fault in checked.faults]
    kept = chosen[encoded.kept]
    codes = pseudonyms(checked.normalised.iloc[kept], study.own_key(row_key))
    codes = codes if renamed is None else renamed(codes)
    whole, target = checked.table if with_table else None, checked.target
    del checked  # texts take as much memory as numbers; the matrix is about to be copied
    # The order of pseudonyms says nothing about the order of the table.
    order = np.lexsort(codes.T[::-1])
    kept = kept[order]
    classes = None if target is None else target[kept]
    return Rows(ids, kept, encoded.matrix[order], codes[order], notes, classes, whole)


def cluster_table(ids: pd.Series, clusters: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Put clusters beside the ids of the table; a row without one has an empty cell."""
    column = pd.array(np.where(clusters < 0, 0, clusters), dtype="Int64")
    column[clusters < 0] = pd.NA
    return beside_ids(ids, CLUSTER, column)


def beside_ids(ids: pd.Series, name: str, labels: Any) -> pd.DataFrame:
    """Put a column of labels beside the ids of the table, under their own name."""
    if ids.name == name:
        raise TableError(f"the id column is called {name!r}, as the column of labels. Rename it.")
    return pd.DataFrame({str(ids.name): ids.to_numpy(), name: labels})
