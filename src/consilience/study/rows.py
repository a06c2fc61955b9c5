"""The rows of a party: its table as the study says, with a pseudonym for each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.exceptions import TableError
from consilience.mapped import Keep, in_memory
from consilience.sources.source import Source
from consilience.study.checking import CheckedTable, check_table
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study

__all__ = [
    "CLUSTER",
    "Rows",
    "RowsToSend",
    "as_target",
    "beside_ids",
    "cluster_table",
    "read_rows",
    "refuse_name",
    "rows_of",
    "target_of_codes",
]

Codes = npt.NDArray[np.uint8]
CLUSTER = "cluster"
"""The column of labels in what a party gets."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RowsToSend:
    """The rows of a party that take part, in the order of their pseudonyms.

    Parameters
    ----------
    matrix : ndarray of shape (n_kept, n_features)
    pseudonyms : ndarray of shape (n_kept, 16)
    notes : list of str
        What was filled, clipped or left out, in counts.
    target : Categorical of length n_kept, or None
        The class of each row, one of those of the study or missing; in a study that learns.
    keep : callable
        Where what is made of them is put: memory, or where they lie.
    """

    matrix: npt.NDArray[np.float64]
    pseudonyms: npt.NDArray[np.uint8]
    notes: list[str]
    target: pd.Categorical | None = None
    keep: Keep = in_memory


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(RowsToSend):
    """The rows that take part, and the table they are of.

    Parameters
    ----------
    ids : Series of str
        Every id of the table, as written there.
    kept : ndarray of int
        Places in the table of the rows that take part.
    table : DataFrame, optional
        The table as it is, without the id column, in its own order; where it was asked for.
    """

    ids: pd.Series
    kept: npt.NDArray[np.intp]
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
    return rows_of(checked, study, row_key, with_table=with_table, renamed=renamed)


def rows_of(
    checked: CheckedTable,
    study: Study,
    row_key: bytes,
    *,
    with_table: bool = False,
    renamed: Callable[[Codes], Codes] | None = None,
) -> Rows:
    """Return the rows of a party's table that was read, or refuse the table."""
    encoded, ids, target = checked.accepted(), checked.ids, checked.target
    kept, notes = checked.chosen[encoded.kept], [str(fault) for fault in checked.faults]
    codes = pseudonyms(checked.normalised.iloc[kept], study.own_key(row_key))
    codes = codes if renamed is None else renamed(codes)
    table = checked.table if with_table else None
    del checked  # texts take as much memory as numbers; the matrix is about to be copied
    # The order of pseudonyms says nothing about the order of the table.
    order = np.lexsort(codes.T[::-1])
    kept = kept[order]
    return Rows(
        ids=ids,
        kept=kept,
        matrix=encoded.matrix[order],
        pseudonyms=codes[order],
        notes=notes,
        target=None if target is None else as_target(target[kept], study),
        table=table,
    )


def as_target(texts: npt.NDArray[np.object_], study: Study) -> pd.Categorical:
    """Return classes, of which each is one of the study or None, in the order they are sent in."""
    return pd.Categorical(texts, categories=sorted(study.method.target_classes))


def target_of_codes(codes: npt.NDArray[np.integer], study: Study) -> pd.Categorical:
    """Return classes of the study by their places among them, sorted; -1 for none."""
    nothing = as_target(np.empty(0, dtype=object), study)
    return pd.Categorical.from_codes(codes, dtype=nothing.dtype)


def cluster_table(ids: pd.Series, clusters: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Put clusters beside the ids of the table; a row without one has an empty cell."""
    column = pd.array(np.where(clusters < 0, 0, clusters), dtype="Int64")
    column[clusters < 0] = pd.NA
    return beside_ids(ids, CLUSTER, column)


def beside_ids(ids: pd.Series, name: str, labels: Any) -> pd.DataFrame:
    """Put a column of labels beside the ids of the table, under their own name."""
    refuse_name(str(ids.name), name)
    return pd.DataFrame({str(ids.name): ids.to_numpy(), name: labels})


def refuse_name(id_column: str, name: str = CLUSTER) -> None:
    """Refuse an id column that is called as the column of labels."""
    if id_column == name:
        raise TableError(f"the id column is called {name!r}, as the column of labels. Rename it.")
