"""Public rows of a study by files, and the secret all parties draw with."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from consilience.collaboration.anchors.public import check_public_rows
from consilience.collaboration.anchors.smote import Smote
from consilience.collaboration.terms import Reduced
from consilience.exceptions import StudyError, TableError
from consilience.sources.delimited import read_delimited
from consilience.sources.faults import refuse
from consilience.study.checking import kinds_of
from consilience.study.schema import Schema
from consilience.study.study import Study

__all__ = ["PublicRows", "column_slices", "read_public_rows"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PublicRows:
    """What a SMOTE anchor is drawn from.

    Parameters
    ----------
    matrix : ndarray of shape (n_public, n_features)
        Encoded columns of all column groups, in the order of the study.
    key : bytes
        The secret of all parties; the analyst must not have it.
    """

    matrix: Array
    key: bytes

    def draw(self, study: Study, n_anchor: int) -> Array:
        """Draw the anchor of all columns."""
        terms = study.of(Reduced).anchor
        more = {} if terms.alpha is None else {"alpha": terms.alpha}
        return Smote(self.matrix, terms.n_neighbors, **more).draw(study.own_key(self.key), n_anchor)

    def refuse_private(self, study: Study, column: str, rows: Array) -> None:
        """Refuse public rows that are rows of the party that asks."""
        check_public_rows(self.matrix[:, column_slices(study)[column]], rows)


def column_slices(study: Study) -> dict[str, slice]:
    """Return the place of each column group among all encoded columns."""
    slices, start = {}, 0
    for column in study.grid.columns:
        stop = start + study.width_of(column)
        slices[column] = slice(start, stop)
        start = stop
    return slices


def read_public_rows(path: Path, study: Study, key: bytes) -> PublicRows:
    """Read the public rows of a study, which must be the very file the study names.

    Parameters
    ----------
    path : Path
        CSV with the columns of all column groups.
    study : Study
    key : bytes
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise StudyError(
            f"there is no file {path}, which holds the public rows of the study (anchor.public)."
        ) from None
    if hashlib.sha256(data).hexdigest() != study.of(Reduced).anchor.public_sha256:
        raise StudyError(
            f"{path.name} is not the file of public rows that was agreed: its SHA-256 differs from "
            f"anchor.public_sha256. Ask for the right one."
        )
    columns = {n: c for group in study.grid.columns for n, c in study.schemas[group].items()}
    found = read_delimited(path, kinds_of(Schema(columns=columns)))
    refuse(found.faults)
    table = found.table
    missing = [name for name in columns if name not in table]
    if missing:
        raise TableError(f"{path.name} lacks the columns {missing} of the study.")
    n_incomplete = int(table[list(columns)].isna().any(axis=1).sum())
    if n_incomplete:
        raise TableError(
            f"{n_incomplete} of the {len(table)} public rows in {path.name} have missing values: "
            f"neighbours need every value. Drop these rows or fill them in, and agree on the new "
            f"file."
        )
    blocks = [
        study.schema_of(group).encode(table[list(study.schemas[group])]).matrix
        for group in study.grid.columns
    ]
    return PublicRows(np.hstack(blocks), key)
