"""The rows of a party: its table as the study says, with a pseudonym for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.exceptions import TableError
from consilience.holdings import Place
from consilience.study.pseudonyms import choose_rows, normalise_ids, pseudonyms
from consilience.study.study import Study
from consilience.study.tables import Source, read_table

__all__ = ["Rows", "beside_ids", "cluster_table", "read_rows"]

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
        What was left out, in counts.
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
    study: Study, name: str, source: Source, row_key: bytes, *, with_table: bool = False
) -> Rows:
    """Read a party's table as the study says."""
    study.check_party(name)
    column = Place.of(name).column
    schema = study.schema_of(column)
    ids, table = read_table(source, schema)
    target = _take_target(study.method.target_of(column), table)
    whole = table if with_table else None
    normalised = normalise_ids(ids, strip=study.ids.strip, fold_case=study.ids.fold_case)
    chosen = choose_rows(normalised, duplicates=study.ids.duplicates, empty=study.ids.empty)
    notes = []
    if len(chosen) < len(table):
        notes.append(f"{len(table) - len(chosen)} rows left out for an empty or repeated id.")
        table = table.iloc[chosen]
    encoded = schema.encode(table)
    del table
    if len(encoded.kept) < len(chosen):
        notes.append(f"{len(chosen) - len(encoded.kept)} rows left out for a missing value.")
    kept = chosen[encoded.kept]
    codes = pseudonyms(normalised.iloc[kept], row_key)
    del normalised  # texts take as much memory as numbers; the matrix is about to be copied
    # The order of pseudonyms says nothing about the order of the table.
    order = np.lexsort(codes.T[::-1])
    kept = kept[order]
    classes = None if target is None else target[kept]
    return Rows(ids, kept, encoded.matrix[order], codes[order], notes, classes, whole)


def _take_target(name: str | None, table: pd.DataFrame) -> npt.NDArray[np.object_] | None:
    """Take the column of the classes out of a table, where the study says it has one."""
    if name is None or name not in table:
        return None
    # An empty cell turns whole numbers into 1.0 and 2.0, which are not the classes "1" and "2".
    column = table.pop(name).convert_dtypes()
    # A CSV reader that takes "None" for a class takes an empty cell for an empty text.
    missing = (column.isna() | (column.astype("string") == "")).to_numpy(dtype=bool)
    texts: npt.NDArray[np.object_] = np.full(len(column), None, dtype=object)
    texts[~missing] = [str(value) for value in column[~missing]]
    return texts


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
