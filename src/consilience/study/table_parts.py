"""A party's table checked and encoded part by part, so that memory does not follow its length.

What is merely told of a table, such as values that were filled, is counted over the parts. Where a
table is to be refused, or what is to be said of it takes all of it at once, nothing is said here:
whoever reads it whole says everything at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.holdings import Place
from consilience.sources.faults import Fault
from consilience.sources.parts import NotInPartsError, TableParts
from consilience.sources.source import Source
from consilience.study.checking import as_classes, kinds_of, unlabelled_faults
from consilience.study.column_faults import name_faults
from consilience.study.columns import Date
from consilience.study.encoding import Counts
from consilience.study.id_faults import Writing, count_faults
from consilience.study.keys import new_key
from consilience.study.pseudonyms import normalise_texts, pseudonyms
from consilience.study.rows import as_target
from consilience.study.study import Study

__all__ = ["Part", "PartsOfTable", "fits_in_parts"]

NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a table, in its order.

    Parameters
    ----------
    places : ndarray of shape (n_chosen,), int
        Where the rows stand in the table whose ids take part.
    codes : ndarray of shape (n_chosen, 16), uint8
        Their pseudonyms.
    matrix : ndarray of shape (n_chosen, n_features)
        Rows as the study encodes them; one that is left out for a missing value is NaN.
    classes : ndarray of shape (n_chosen,), int
        The place of their class among those of the study, sorted; -1 where there is none.
    """

    places: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint8]
    matrix: npt.NDArray[np.float64]
    classes: npt.NDArray[np.int64]

    @property
    def taken(self) -> npt.NDArray[np.bool_]:
        """Which rows are not left out for a missing value."""
        return ~np.isnan(self.matrix[:, 0])


def fits_in_parts(study: Study, name: str) -> bool:
    """Tell whether what a study asks of a party's table can be found part by part.

    Pseudonyms of a match are found for all rows at once.
    """
    return not study.matches_by_psi(name)


class PartsOfTable:
    """Reads a party's table part by part, and counts what is to be said of it.

    Parameters
    ----------
    study : Study
    name : str
        The party.
    source : Source
    folder : Path
        A private folder, for rows of a database.
    row_key : bytes, optional
        Of those with whose rows these meet; where they meet none, ids are told apart by a key that
        nobody keeps.
    """

    def __init__(
        self, study: Study, name: str, source: Source, folder: Path, row_key: bytes | None = None
    ) -> None:
        self._study, self._id, self._meet = study, source.id_column, row_key is not None
        self._key = study.own_key(new_key() if row_key is None else row_key)
        column = Place.of(name).column
        self.target = study.method.target_of(column)
        self._schema = study.schema_of(column)
        self.n_features = len(self._schema.feature_names)
        self.table = TableParts(source, kinds_of(self._schema, source.id_column), folder)
        self._start()

    def _start(self) -> None:
        self.n_rows = self._empty = self._unlabelled = 0
        self._writing = Writing()
        self._written: Any = None
        self._counts: dict[str, Counts] = {}

    def read(self, skipped: npt.NDArray[np.int64] = NONE) -> Iterator[Part]:
        """Yield the parts without the rows that stand in these places, in rising order.

        Raises
        ------
        NotInPartsError
        """
        self._start()
        for table in self.table:
            n, start = len(table), self.n_rows
            classes = self._classes_of(table)
            if not start:
                self._look_at(table)
            texts = table.pop(self._id).astype("string").fillna("").tolist()
            chosen = np.ones(n, dtype=bool)
            first, last = np.searchsorted(skipped, (start, start + n))
            chosen[skipped[first:last] - start] = False
            yield self._part(table, texts, classes, chosen)
            self.n_rows += n
        if not self.n_rows:
            raise NotInPartsError

    def _classes_of(self, table: pd.DataFrame) -> npt.NDArray[np.int64]:
        """Take the column of the classes out of a part; return the place of each row's class."""
        if self.target is None:
            return np.full(len(table), -1)
        if self.target not in table:
            raise NotInPartsError
        column = table.pop(self.target)
        # Whether 01 is a number or a text is told by all cells of a column together.
        self._written = column.dtype if self._written is None else self._written
        if column.dtype != self._written or pd.api.types.is_float_dtype(column.dtype):
            raise NotInPartsError
        texts = as_classes(column)
        if not {None, *self._study.method.target_classes}.issuperset(texts):
            raise NotInPartsError
        found = as_target(texts, self._study).codes.astype(np.int64)
        self._unlabelled += int((found < 0).sum())
        return found

    def _look_at(self, table: pd.DataFrame) -> None:
        """See that the columns are those of the study, and that cells can be read one by one."""
        if self._id not in table or name_faults(
            list(self._schema.columns), [name for name in table.columns if name != self._id]
        ):
            raise NotInPartsError
        for name, column in self._schema.columns.items():
            # Whether 03/04/2023 is in March or April is told by all days of a column together.
            if isinstance(column, Date) and not pd.api.types.is_datetime64_any_dtype(table[name]):
                raise NotInPartsError

    def _part(
        self,
        table: pd.DataFrame,
        texts: list[str],
        classes: npt.NDArray[np.int64],
        chosen: npt.NDArray[np.bool_],
    ) -> Part:
        terms = self._study.ids
        ids = normalise_texts(
            texts, strip=terms.strip, fold_case=terms.fold_case, drop_zeros=terms.drop_zeros
        )
        if self._meet:
            self._writing += Writing.of(texts)
            if "" in ids:
                blank = np.array([text == "" for text in ids])
                self._empty += int(blank.sum())
                chosen &= ~blank
        places = np.flatnonzero(chosen)
        whole = len(places) == len(ids)
        codes = pseudonyms(ids if whole else [ids[k] for k in places], self._key)
        encoded, counts = self._schema.count(table if whole else table.iloc[places])
        for name, c in counts.items():
            self._counts[name] = self._counts[name] + c if name in self._counts else c
        if any(c.wrong for c in counts.values()):
            raise NotInPartsError
        matrix = encoded.matrix
        if len(encoded.kept) < len(places):
            matrix = np.full((len(places), matrix.shape[1]), np.nan)
            matrix[encoded.kept] = encoded.matrix
        return Part(places + self.n_rows, codes, matrix, classes[places])

    def notes(self, n_repeated: int = 0) -> list[str]:
        """Say what is to be told of the table, once all of it was read.

        Raises
        ------
        NotInPartsError
            If it is to be refused.
        """
        terms = self._study.ids
        faults: list[Fault] = [
            *unlabelled_faults(str(self.target), self._unlabelled),
            *self._writing.faults(terms),
            *count_faults(self._empty, n_repeated, terms),
            *self._schema.word(self._counts),
        ]
        if any(fault.refused for fault in faults):
            raise NotInPartsError
        return [str(fault) for fault in faults]
