"""A large table in its own order, outside memory, for studies in which none of its rows leaves."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from consilience.mapped import Keep, in_file, in_memory, map_file
from consilience.sources.parts import NotInPartsError, comes_in_parts
from consilience.sources.source import Source
from consilience.study.checking import CheckedTable, check_table
from consilience.study.rows import as_target
from consilience.study.sorting import Buckets
from consilience.study.study import Study
from consilience.study.table_parts import PartsOfTable

__all__ = ["RowsAtHome", "read_rows_at_home", "rows_at_home"]


@dataclass(frozen=True, eq=False)
class RowsAtHome:
    """Rows as a study encodes them, of which none leaves.

    Parameters
    ----------
    matrix : ndarray of shape (n_kept, n_features)
        In the order of the table.
    classes : ndarray of shape (n_kept,), int, or None
        The place of their class among those of the study, sorted, -1 for none; None where the study
        has no classes, or the table no column of them.
    keep : callable
        Where what is made of them is put: memory, or where they lie.
    """

    matrix: npt.NDArray[np.float64]
    classes: npt.NDArray[np.int64] | None
    keep: Keep = in_memory


def read_rows_at_home(study: Study, name: str, source: Source, folder: Path) -> RowsAtHome:
    """Read a party's table, in parts where it is large; a table that does not fit is refused.

    Parameters
    ----------
    study : Study
    name : str
        The party.
    source : Source
    folder : Path
        A private folder: rows of a large table lie there in files without names.
    """
    if comes_in_parts(source):
        parts = PartsOfTable(study, name, source, folder)
        with parts.table:
            try:
                return _stream(parts, study, folder)
            except NotInPartsError:
                pass
    return rows_at_home(check_table(study, name, source), study)


def rows_at_home(checked: CheckedTable, study: Study) -> RowsAtHome:
    """Return the rows of a party's table that was read at once, or refuse the table."""
    rows, target = checked.accepted(), checked.target
    if target is None:
        return RowsAtHome(rows.matrix, None)
    kept = as_target(target[checked.chosen[rows.kept]], study)
    return RowsAtHome(rows.matrix, kept.codes.astype(np.int64))


def _stream(parts: PartsOfTable, study: Study, folder: Path) -> RowsAtHome:
    classes = []
    with Buckets(folder, 0) as ids, tempfile.TemporaryFile(dir=folder) as rows:
        for part in parts.read():
            ids.add(part.codes, part.places, np.empty((len(part.codes), 0)))
            rows.write(np.ascontiguousarray(part.matrix[part.taken]).data)
            classes.append(part.classes[part.taken])
        most = study.method.most_rows_of_an_id
        if not rows.tell() or (most is not None and _most_rows(ids) > most):
            raise NotInPartsError
        matrix = np.frombuffer(map_file(rows), np.float64).reshape(-1, parts.n_features)
    parts.notes()  # refuses what a whole table is refused for
    known = None if parts.target is None else np.concatenate(classes)
    return RowsAtHome(matrix, known, in_file(folder))


def _most_rows(ids: Buckets) -> int:
    """Return in how many rows the id stands that stands in most."""
    most = 0
    for codes, _, _ in ids.sorted():
        first = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
        most = max(most, int(np.diff(np.append(np.flatnonzero(first), len(codes))).max()))
    return most
