"""What a party does with its table: encode, name rows by pseudonyms, contribute, label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from consilience.collaboration.reduction import AffineReduction
from consilience.collaboration.terms import party_of
from consilience.exceptions import MessageError, StudyError
from consilience.messages import Answer, Contribution
from consilience.study.rows import Rows, cluster_table, read_rows
from consilience.study.study import Study

__all__ = ["Rows", "contribute_table", "label_new_rows", "label_rows", "read_rows"]


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
    return cluster_table(rows.ids, clusters)


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
    return cluster_table(rows.ids, clusters)
