"""The rows of a large table, outside memory: read in parts, sorted in files, mapped."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.holdings import Place
from consilience.mapped import in_file, map_file
from consilience.messages import PSEUDONYM_BYTES
from consilience.sources.parts import NotInPartsError
from consilience.sources.source import Source
from consilience.study.checking import check_found
from consilience.study.rows import RowsToSend, rows_of, target_of_codes
from consilience.study.sorting import Buckets
from consilience.study.study import Study
from consilience.study.table_parts import PartsOfTable

__all__ = ["stream_rows"]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]


def stream_rows(
    study: Study, name: str, source: Source, row_key: bytes, folder: Path
) -> RowsToSend:
    """Read what a party sends of a large table, in parts; the rows are those of it at once.

    A table that is to be refused is read at once, so that everything that is wrong with it is said
    at once.

    Parameters
    ----------
    study : Study
    name : str
        The party.
    source : Source
    row_key : bytes
    folder : Path
        A private folder: rows lie there in files without names, and are gone with what is returned.
    """
    parts = PartsOfTable(study, name, source, folder, row_key)
    with parts.table as table:
        try:
            return _stream(parts, study, name, folder)
        except NotInPartsError:
            found = table.read_whole()
    return rows_of(check_found(study, name, found, source.id_column), study, row_key)


def _stream(parts: PartsOfTable, study: Study, name: str, folder: Path) -> RowsToSend:
    skipped = np.empty(0, dtype=np.int64)
    found = _sort(parts, skipped, folder)
    if len(found.repeated):
        if study.ids.duplicates == "refuse":
            raise NotInPartsError
        # What is told of a table is not told of rows that repeat an id: it is read again without.
        skipped = np.sort(found.repeated)
        found = _sort(parts, skipped, folder)
    target = None
    if study.method.target_of(Place.of(name).column) is not None:
        target = target_of_codes(found.classes, study)
    return RowsToSend(
        matrix=found.matrix,
        pseudonyms=found.codes,
        notes=parts.notes(len(skipped)),
        target=target,
        keep=in_file(folder),
    )


class _Sorted(NamedTuple):
    """Rows in the order of their pseudonyms, and places of the table that repeat an id."""

    matrix: Array
    codes: Codes
    classes: npt.NDArray[np.int32]
    repeated: Places


def _sort(parts: PartsOfTable, skipped: Places, folder: Path) -> _Sorted:
    """Put rows into the order of their pseudonyms."""
    repeated, classes, n = [np.empty(0, dtype=np.int64)], [], parts.n_features
    n_targets = int(parts.target is not None)
    with (
        Buckets(folder, n + n_targets) as buckets,
        tempfile.TemporaryFile(dir=folder) as sorted_rows,
        tempfile.TemporaryFile(dir=folder) as sorted_codes,
    ):
        for part in parts.read(skipped):
            # The class of a row, if it has one, goes along as one more number.
            numbers = np.column_stack([part.matrix, part.classes]) if n_targets else part.matrix
            buckets.add(part.codes, part.places, numbers)
        for codes, places, rows in buckets.sorted():
            again = np.append(False, (codes[1:] == codes[:-1]).all(axis=1))
            repeated.append(places[again])
            taken = ~again & ~np.isnan(rows[:, 0])
            sorted_rows.write(np.ascontiguousarray(rows[taken, :n]).data)
            sorted_codes.write(np.ascontiguousarray(codes[taken]).data)
            classes.append(rows[taken, n:].astype(np.int32))
        if not sorted_rows.tell():
            raise NotInPartsError
        matrix = np.frombuffer(map_file(sorted_rows), np.float64).reshape(-1, n)
        names = np.frombuffer(map_file(sorted_codes), np.uint8).reshape(-1, PSEUDONYM_BYTES)
    return _Sorted(matrix, names, np.concatenate(classes).ravel(), np.concatenate(repeated))
