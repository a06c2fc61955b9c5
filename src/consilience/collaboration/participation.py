"""What a party does with its table: encode, name rows by pseudonyms, contribute, label."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.terms import party_of
from consilience.exceptions import MessageError, StudyError
from consilience.messages import Answer, Contribution
from consilience.study.pseudonyms import choose_rows, normalise_ids, pseudonyms
from consilience.study.study import Study
from consilience.study.tables import read_table

__all__ = ["Rows", "contribute_table", "label_new_rows", "label_rows", "read_rows"]


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
    """

    ids: pd.Series
    kept: npt.NDArray[np.intp]
    matrix: npt.NDArray[np.float64]
    pseudonyms: npt.NDArray[np.uint8]
    notes: list[str]
    target: npt.NDArray[np.object_] | None = None


def read_rows(study: Study, name: str, data: Path, id_column: str, row_key: bytes) -> Rows:
    """Read a party's table as the study says."""
    schema = study.schema_of(_column(study, name))
    ids, table = read_table(data, schema, id_column)
    target = _take_target(study, name, table)
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
    # The order of pseudonyms says nothing about the order of the table.
    order = np.lexsort(codes.T[::-1])
    kept = kept[order]
    classes = None if target is None else target[kept]
    return Rows(ids, kept, encoded.matrix[order], codes[order], notes, classes)


def _take_target(study: Study, name: str, table: pd.DataFrame) -> npt.NDArray[np.object_] | None:
    """Take the column of the classes out of a table, where the study says it has one."""
    terms = study.learning
    if terms is None or name.partition("/")[2] != terms.holder or terms.target not in table:
        return None
    # An empty cell turns whole numbers into 1.0 and 2.0, which are not the classes "1" and "2".
    column = table.pop(terms.target).convert_dtypes()
    missing = column.isna().to_numpy()
    texts: npt.NDArray[np.object_] = np.full(len(column), None, dtype=object)
    texts[~missing] = [str(value) for value in column[~missing]]
    return texts


def contribute_table(
    study: Study,
    name: str,
    data: Path,
    id_column: str,
    column_key: bytes,
    row_key: bytes,
    rng: np.random.Generator | None = None,
) -> tuple[Contribution, AffineReduction, Rows]:
    """Make the contribution of a party from its table.

    Returns
    -------
    contribution : Contribution
    reduction : AffineReduction
        The party keeps it, to label new rows later.
    rows : Rows
        What it was made from, to be audited before it leaves.
    """
    party = party_of(study, name, column_key, rng)
    rows = read_rows(study, name, data, id_column, row_key)
    (message,) = party.begin(rows.matrix, rows.pseudonyms)
    assert isinstance(message, Contribution)
    assert isinstance(party.reduction, AffineReduction)
    return message, party.reduction, rows


def label_rows(rows: Rows, answer: Answer) -> pd.DataFrame:
    """Join an answer back to the ids of the table; a row without label has an empty cluster."""
    if answer.pseudonyms is None:
        raise MessageError("the answer names no rows; it does not belong to a study by files.")
    labels = pd.Series(answer.labels, index=[code.tobytes() for code in answer.pseudonyms])
    if labels.index.has_duplicates:
        raise MessageError("the answer names a row twice.")
    found = labels.reindex([code.tobytes() for code in rows.pseudonyms]).fillna(-1).to_numpy()
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = found.astype(np.int64)
    return _table(rows.ids, clusters)


def label_new_rows(
    study: Study, name: str, rows: Rows, answer: Answer, reduction: AffineReduction
) -> pd.DataFrame:
    """Label rows that were not in the study, where the answer holds the map to do so."""
    if answer.linear is None or answer.offset is None or answer.centers is None:
        raise StudyError(
            f"the answer holds no model (answer = {study.answer!r} in the study): only rows that "
            f"were contributed have labels. Agree on answer = 'model' to label new rows."
        )
    if len(reduction.components.T) != len(answer.linear):
        raise StudyError(
            f"{name!r} holds {reduction.components.shape[1]} of the {len(answer.linear)} "
            f"dimensions of its rows; new rows can only be labelled where one party holds all "
            f"columns. Contribute them to a new study instead."
        )
    if study.clustering.method != "kmeans":
        raise StudyError("new rows can be labelled after k-means, not after spectral clustering.")
    Z = reduction.transform(rows.matrix) @ answer.linear + answer.offset
    distance = ((Z[:, None, :] - answer.centers) ** 2).sum(axis=2)
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = distance.argmin(axis=1)
    return _table(rows.ids, clusters)


def _table(ids: pd.Series, clusters: npt.NDArray[np.int64]) -> pd.DataFrame:
    column = pd.array(np.where(clusters < 0, 0, clusters), dtype="Int64")
    column[clusters < 0] = pd.NA
    return pd.DataFrame({ids.name: ids.to_numpy(), "cluster": column})


def _column(study: Study, name: str) -> str:
    if name not in study.grid.parties:
        raise StudyError(f"{name!r} is not a party of the study: {study.grid.parties}.")
    return name.partition("/")[2]
