"""What a party does with its table: encode, name rows by pseudonyms, contribute, label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import pairwise_distances_argmin

from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.terms import party_of
from consilience.exceptions import MessageError, StudyError
from consilience.messages import Answer, Contribution
from consilience.privacy.budget import Budget
from consilience.study.rows import Rows, cluster_table, read_rows
from consilience.study.study import Study

__all__ = [
    "Rows",
    "check_reduction",
    "contribute_table",
    "label_new_rows",
    "label_rows",
    "read_rows",
]

Array = npt.NDArray[np.float64]

MAX_DISAGREEMENT = 0.01
"""Share of contributed rows that rounding may push over the border between two clusters."""


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
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = labels
    return cluster_table(rows.ids, clusters)
