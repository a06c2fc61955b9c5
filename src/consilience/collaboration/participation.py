"""What a party does with its table: encode, name rows by pseudonyms, contribute, label."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import pairwise_distances_argmin

from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.terms import party_of
from consilience.exceptions import MessageError, StudyError, TableError
from consilience.messages import Answer, Contribution
from consilience.study.pseudonyms import choose_rows, normalise_ids, pseudonyms
from consilience.study.study import Study
from consilience.study.tables import read_table

__all__ = [
    "Rows",
    "check_reduction",
    "contribute_table",
    "label_new_rows",
    "label_rows",
    "read_rows",
]

Array = npt.NDArray[np.float64]

CLUSTER = "cluster"
MAX_DISAGREEMENT = 0.01
"""Share of contributed rows that rounding may push over the border between two clusters."""


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
    """

    ids: pd.Series
    kept: npt.NDArray[np.intp]
    matrix: npt.NDArray[np.float64]
    pseudonyms: npt.NDArray[np.uint8]
    notes: list[str]


def read_rows(study: Study, name: str, data: Path, id_column: str, row_key: bytes) -> Rows:
    """Read a party's table as the study says."""
    schema = study.schema_of(_column(study, name))
    ids, table = read_table(data, schema, id_column)
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
    return Rows(ids, kept[order], encoded.matrix[order], codes[order], notes)


def contribute_table(
    study: Study,
    name: str,
    data: Path,
    id_column: str,
    column_key: bytes,
    row_key: bytes,
    rng: np.random.Generator | None = None,
) -> tuple[Contribution, AffineReduction, list[str]]:
    """Make the contribution of a party from its table.

    Returns
    -------
    contribution : Contribution
    reduction : AffineReduction
        The party keeps it, to label new rows later.
    notes : list of str
        Rows left out, in counts.
    """
    party = party_of(study, name, column_key, rng)
    rows = read_rows(study, name, data, id_column, row_key)
    (message,) = party.begin(rows.matrix, rows.pseudonyms)
    assert isinstance(message, Contribution)
    assert isinstance(party.reduction, AffineReduction)
    return message, party.reduction, rows.notes


def label_rows(rows: Rows, answer: Answer) -> pd.DataFrame:
    """Join an answer back to the ids of the table; a row without label has an empty cluster."""
    return _table(rows, _labels(rows, answer))


def check_reduction(
    study: Study, name: str, rows: Rows, answer: Answer, reduction: AffineReduction
) -> None:
    """See that the answer holds a model, and that it fits the reduction the party kept.

    Parameters
    ----------
    rows : Rows
        The rows that were contributed: the model must give them the labels they were given. Each
        contribution has a rotation of its own, and a later one replaces the reduction kept.
    """
    if answer.linear is None or answer.offset is None or answer.centers is None:
        raise StudyError(
            f"the answer holds no model (answer = {study.answer!r} in the study): only rows that "
            f"were contributed have labels. Agree on answer = 'model' to label new rows."
        )
    if study.clustering.method != "kmeans":
        raise StudyError("new rows can be labelled after k-means, not after spectral clustering.")
    if reduction.components.shape[1] != len(answer.linear):
        raise StudyError(
            f"{name!r} holds {reduction.components.shape[1]} of the {len(answer.linear)} "
            f"dimensions of its rows; new rows can only be labelled where one party holds all "
            f"columns. Contribute them to a new study instead."
        )
    labels = _labels(rows, answer)
    found = labels >= 0
    differs = _nearest(rows.matrix[found], answer, reduction) != labels[found]
    if differs.sum() > MAX_DISAGREEMENT * len(differs):
        raise StudyError(
            f"the answer does not belong to the latest contribution of {name!r}: its model gives "
            f"{int(differs.sum())} of {len(differs)} contributed rows another cluster than the "
            f"answer does. Send the latest contribution, and use the answer to it."
        )


def label_new_rows(rows: Rows, answer: Answer, reduction: AffineReduction) -> pd.DataFrame:
    """Label rows that were not in the study with the model of the answer."""
    return _table(rows, _nearest(rows.matrix, answer, reduction))


def _labels(rows: Rows, answer: Answer) -> npt.NDArray[np.int64]:
    """Return the label of each row, -1 where the answer has none."""
    if answer.pseudonyms is None:
        raise MessageError("the answer names no rows; it does not belong to a study by files.")
    labels = pd.Series(answer.labels, index=[code.tobytes() for code in answer.pseudonyms])
    if labels.index.has_duplicates:
        raise MessageError("the answer names a row twice.")
    codes = [code.tobytes() for code in rows.pseudonyms]
    if not labels.index.isin(codes).any():
        raise MessageError(
            "the answer names none of the rows of this table. Give the table that was "
            "contributed, and the row key it was contributed with."
        )
    return labels.reindex(codes, fill_value=-1).to_numpy()


def _nearest(X: Array, answer: Answer, reduction: AffineReduction) -> npt.NDArray[np.int64]:
    """Return the nearest centre of each row, by the model of an answer."""
    assert answer.linear is not None, "check_reduction() comes first"
    assert answer.offset is not None, "check_reduction() comes first"
    Z = reduction.transform(X) @ answer.linear + answer.offset
    return np.asarray(pairwise_distances_argmin(Z, answer.centers), dtype=np.int64)


def _table(rows: Rows, labels: npt.NDArray[np.int64]) -> pd.DataFrame:
    name = str(rows.ids.name)
    if name == CLUSTER:
        raise TableError(f"the id column is called {name!r}, as the column of labels. Rename it.")
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = labels
    column = pd.array(np.where(clusters < 0, 0, clusters), dtype="Int64")
    column[clusters < 0] = pd.NA
    return pd.DataFrame({name: rows.ids.to_numpy(), CLUSTER: column})


def _column(study: Study, name: str) -> str:
    if name not in study.grid.parties:
        raise StudyError(f"{name!r} is not a party of the study: {study.grid.parties}.")
    return name.partition("/")[2]
