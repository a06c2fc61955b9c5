"""What a party does with its table: encode, name rows by pseudonyms, contribute, label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import pairwise_distances_argmin

from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.roles import party_of
from consilience.exceptions import MessageError, StudyError
from consilience.messages import Answer, Contribution, Prediction
from consilience.privacy.budget import Budget
from consilience.study.rows import Rows, cluster_table, read_rows
from consilience.study.study import Study

__all__ = [
    "Rows",
    "contribute_table",
    "label_new_rows",
    "label_rows",
    "map_rows",
    "read_rows",
]

Array = npt.NDArray[np.float64]


def contribute_table(
    study: Study,
    name: str,
    data: Path,
    id_column: str,
    column_key: bytes,
    row_key: bytes,
    rng: np.random.Generator | None = None,
    budget: Budget | None = None,
) -> tuple[Contribution, AffineReduction, Rows]:
    """Make the contribution of a party from its table.

    Where the study asks for noise, `budget` is charged before it is drawn.

    Returns
    -------
    contribution : Contribution
    reduction : AffineReduction
        The party keeps it, to label new rows later.
    rows : Rows
        What it was made from, to be audited before it leaves.
    """
    party = party_of(study, name, column_key, rng, budget)
    rows = read_rows(study, name, data, id_column, row_key)
    (message,) = party.begin(rows.matrix, rows.pseudonyms)
    assert isinstance(message, Contribution)
    assert isinstance(party.reduction, AffineReduction)
    return message, party.reduction, rows


def label_rows(rows: Rows, answer: Answer) -> pd.DataFrame:
    """Join an answer back to the ids of the table; a row without label has an empty cluster."""
    return _table(rows, _labels(rows, answer))


def map_rows(X: Array, answer: Answer | Prediction, reduction: AffineReduction) -> Array:
    """Map rows that were not in the study into the shared space, by the map of an answer.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    answer : Answer or Prediction
    reduction : AffineReduction
        What the party kept of the contribution that is answered.
    """
    if answer.linear is None or answer.offset is None:
        raise StudyError(
            "the answer holds no model: only rows that were contributed have labels. Agree on "
            "answer = 'model' (learning.answer in a study that learns) to label new rows."
        )
    width = reduction.components.shape[1]
    if width != len(answer.linear):
        raise StudyError(
            f"{answer.recipient!r} holds {width} of the {len(answer.linear)} dimensions of its "
            f"rows; new rows can only be labelled where one party holds all columns. Contribute "
            f"them to a new study instead."
        )
    return np.asarray(reduction.transform(X) @ answer.linear + answer.offset)


def label_new_rows(
    study: Study, rows: Rows, answer: Answer, reduction: AffineReduction
) -> pd.DataFrame:
    """Label rows that were not in the study with the nearest centre of the answer."""
    if study.clustering.method != "kmeans":
        raise StudyError("new rows can be labelled after k-means, not after spectral clustering.")
    Z = map_rows(rows.matrix, answer, reduction)
    if answer.centers is None:
        raise MessageError("the answer has a map and no centres: it labels nothing.")
    return _table(rows, np.asarray(pairwise_distances_argmin(Z, answer.centers), dtype=np.int64))


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


def _table(rows: Rows, labels: npt.NDArray[np.int64]) -> pd.DataFrame:
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = labels
    return cluster_table(rows.ids, clusters)
