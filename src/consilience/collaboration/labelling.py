"""Labels for the rows of a large table, which is gone through in parts.

Pseudonyms of the table are sorted outside memory and meet those that were sent, which are in order;
a label then has its place in the table, and the table is gone through once more for its ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MessageError
from consilience.fields import Labels
from consilience.mapped import in_blocks, let_go
from consilience.messages import Answer
from consilience.report.coincidence import tell_coincidence
from consilience.sources.parts import NotInPartsError, TableParts
from consilience.sources.source import Source
from consilience.study.id_faults import tell_shape
from consilience.study.labelled_lines import LabelledLines
from consilience.study.participant import Participant
from consilience.study.pseudonym_index import PseudonymIndex
from consilience.study.rows import refuse_name
from consilience.study.sorting import N_BUCKETS, Buckets
from consilience.study.table_parts import Part, PartsOfTable

__all__ = ["Met", "label_in_parts", "meet_in_parts"]

SAMPLE_ROWS = 50_000
"""So many rows are compared with their clusters, about, and twice as many at most."""


@dataclass(frozen=True, eq=False)
class Met:
    """What an answer says of the rows of a large table.

    Parameters
    ----------
    table : TableParts
    labels : ndarray of shape (n_rows,)
        In the order of the table, -1 for none.
    places : ndarray of shape (n_sampled,)
        Where some rows stand in the table that were drawn by their pseudonyms.
    matrix : ndarray of shape (n_sampled, n_features)
        These rows.
    n_taken, n_found : int
        How many rows take part, and how many of them the answer names.
    """

    table: TableParts
    labels: Labels
    places: npt.NDArray[np.int64]
    matrix: npt.NDArray[np.float64]
    n_taken: int
    n_found: int


def meet_in_parts(
    me: Participant, pseudonyms: npt.NDArray[np.uint8], labels: Labels, source: Source
) -> Met:
    """Let the rows of a table, part by part, meet those that an answer labels.

    Parameters
    ----------
    me : Participant
    pseudonyms : ndarray of shape (n_answered, 16), uint8
        In rising order.
    labels : ndarray of shape (n_answered,)
    source : Source

    Raises
    ------
    NotInPartsError
        If the table has to be read whole.
    """
    folder, key = me.folder.path, me.folder.read_key("row")
    parts = PartsOfTable(me.study, me.name, source, folder, key)
    sample = _Sample()
    with Buckets(folder, 1) as buckets:
        for part in parts.read():
            buckets.add(part.codes, part.places, part.matrix[:, :1])
            sample.add(part)
        told, n_repeated, n_found, n_taken = _meet(buckets, pseudonyms, labels, parts.n_rows)
    parts.notes(n_repeated)  # refuses a table that could not have been contributed
    return Met(parts.table, told, *sample.rows(), n_taken, n_found)


def label_in_parts(
    me: Participant, answer: Answer, source: Source
) -> tuple[LabelledLines, list[str]]:
    """Give the rows of a table their clusters, part by part.

    Returns
    -------
    lines : LabelledLines
    notes : list of str
        What the person should know.

    Raises
    ------
    NotInPartsError
        If the table has to be read whole.
    """
    assert answer.pseudonyms is not None, "the party knows its rows"
    refuse_name(source.id_column)
    met = meet_in_parts(me, answer.pseudonyms, answer.labels, source)
    if not met.n_found:
        raise MessageError(
            "the answer names none of the rows of this table. Give the table that was "
            "contributed, and the row key it was contributed with."
        )
    schema = me.study.schema_of(me.place.column)
    notes = tell_coincidence(met.matrix, schema, met.labels[met.places].astype(np.int64))
    n_labelled, n_rows = int((met.labels >= 0).sum()), len(met.labels)
    if n_labelled < n_rows:
        # How most ids are written, the first part tells.
        first = next(met.table.of([source.id_column]))[source.id_column]
        notes.append(
            f"{n_rows - n_labelled} rows have no cluster: they were left out here, or some other "
            f"party of your row does not hold them. They are the empty ones in the file. "
            f"{tell_shape(first, met.n_taken - n_labelled)}".rstrip()
        )
    return LabelledLines(met.table, source.id_column, met.labels), notes


def _meet(
    buckets: Buckets, pseudonyms: npt.NDArray[np.uint8], told: Labels, n_rows: int
) -> tuple[Labels, int, int, int]:
    """Find the label of each row; count rows that repeat an id, that were found, that take part."""
    labels = np.full(n_rows, -1, dtype=told.dtype)
    starts = _bucket_starts(pseudonyms)
    n_repeated = n_found = n_taken = 0
    for codes, places, flags in buckets.sorted():
        again = np.append(False, (codes[1:] == codes[:-1]).all(axis=1))
        taken = ~again & ~np.isnan(flags[:, 0])
        first = int(codes[0, 0])
        sent = pseudonyms[starts[first] : starts[first + 1]]
        index = PseudonymIndex(sent)
        if index.n_doubles:
            raise MessageError("the answer names a row twice.")
        found = index.find(codes[taken])
        let_go(sent)
        met = found >= 0
        labels[places[taken][met]] = told[starts[first] + found[met]]
        n_repeated, n_found = n_repeated + int(again.sum()), n_found + int(met.sum())
        n_taken += int(taken.sum())
    return labels, n_repeated, n_found, n_taken


def _bucket_starts(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Return where pseudonyms of each first byte begin; they must be in the order of these."""
    counts, last = np.zeros(N_BUCKETS, dtype=np.int64), 0
    for block in in_blocks(codes):
        first = block[:, 0].astype(np.int64)
        if first[0] < last or (np.diff(first) < 0).any():
            raise NotInPartsError
        last = int(first[-1])
        counts += np.bincount(first, minlength=N_BUCKETS)
    return np.append(0, np.cumsum(counts))


class _Sample:
    """Rows drawn by their pseudonyms, which look like chance: fewer of them as more rows come."""

    def __init__(self) -> None:
        self._bound = 2**16
        self._held: list[tuple[npt.NDArray[Any], ...]] = []

    def add(self, part: Part) -> None:
        """Draw among the rows of a part that take part."""
        draws = part.codes[:, 8].astype(np.int64) * 256 + part.codes[:, 9]
        known = ~np.isnan(part.matrix[:, 0]) & (draws < self._bound)
        self._held.append((draws[known], part.places[known], part.matrix[known]))
        while sum(len(held[0]) for held in self._held) > 2 * SAMPLE_ROWS:
            self._bound //= 2
            self._held = [tuple(a[held[0] < self._bound] for a in held) for held in self._held]

    def rows(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return where the rows stand in the table, and what they hold."""
        _, places, matrices = zip(*self._held, strict=True)
        return np.concatenate(places), np.concatenate(matrices)
