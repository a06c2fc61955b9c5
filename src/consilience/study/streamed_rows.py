"""The rows of a large table, outside memory: read in parts, sorted in files, mapped."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from consilience.mapped import in_file, map_file
from consilience.messages import PSEUDONYM_BYTES
from consilience.sources.parts import NotInPartsError
from consilience.sources.source import Source
from consilience.study.checking import check_found
from consilience.study.rows import RowsToSend, rows_of
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
    parts = PartsOfTable(study, name, source, row_key, folder)
    with parts.table as table:
        try:
            return _stream(parts, study, folder)
        except NotInPartsError:
            found = table.read_whole()
    return rows_of(check_found(study, name, found, source.id_column), study, row_key)


def _stream(parts: PartsOfTable, study: Study, folder: Path) -> RowsToSend:
    skipped = np.empty(0, dtype=np.int64)
    matrix, codes, repeated = _sort(parts, skipped, folder)
    if len(repeated):
        if study.ids.duplicates == "refuse":
            raise NotInPartsError
        # What is told of a table is not told of rows that repeat an id: it is read again without.
        skipped = np.sort(repeated)
        matrix, codes, _ = _sort(parts, skipped, folder)
    return RowsToSend(
        matrix=matrix, pseudonyms=codes, notes=parts.notes(len(skipped)), keep=in_file(folder)
    )


def _sort(parts: PartsOfTable, skipped: Places, folder: Path) -> tuple[Array, Codes, Places]:
    """Put rows into the order of their pseudonyms; return them, and places that repeat an id."""
    repeated = [np.empty(0, dtype=np.int64)]
    with (
        Buckets(folder, parts.n_features) as buckets,
        tempfile.TemporaryFile(dir=folder) as sorted_rows,
        tempfile.TemporaryFile(dir=folder) as sorted_codes,
    ):
        for part in parts.read(skipped):
            buckets.add(part.codes, part.places, part.matrix)
        for codes, places, rows in buckets.sorted():
            again = np.append(False, (codes[1:] == codes[:-1]).all(axis=1))
            repeated.append(places[again])
            taken = ~again & ~np.isnan(rows[:, 0])
            if not taken.all():
                rows, codes = rows[taken], codes[taken]
            sorted_rows.write(rows.data)
            sorted_codes.write(codes.data)
        if not sorted_rows.tell():
            raise NotInPartsError
        matrix = np.frombuffer(map_file(sorted_rows), np.float64)
        codes = np.frombuffer(map_file(sorted_codes), np.uint8)
    shape = -1, parts.n_features
    return matrix.reshape(shape), codes.reshape(-1, PSEUDONYM_BYTES), np.concatenate(repeated)
