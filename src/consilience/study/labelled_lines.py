"""Ids of a large table and a label beside each, written line by line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from consilience.fields import Labels
from consilience.sources.parts import TableParts
from consilience.study.rows import CLUSTER

__all__ = ["LabelledLines"]


@dataclass(frozen=True, eq=False)
class LabelledLines:
    """A table of ids and labels, written line by line.

    Parameters
    ----------
    table : TableParts
    id_column : str
    labels : ndarray of shape (n_rows,)
        In the order of the table, -1 for none.
    words : sequence of str, optional
        What each label is called; by its number if nothing is said.
    column : str
        What the labels are.
    """

    table: TableParts
    id_column: str
    labels: Labels
    words: Sequence[str] | None = None
    column: str = CLUSTER

    def __len__(self) -> int:
        return len(self.labels)

    def pieces(self) -> Iterator[bytes]:
        """Yield the lines of a CSV file; a row without a label has an empty cell."""
        numbers = map(str, range(int(self.labels.max(initial=-1)) + 1))
        words = ["", *(numbers if self.words is None else self.words)]
        yield _lines([self.id_column], [self.column])
        start = 0
        with self.table as table:
            for part in table.of([self.id_column]):
                ids = part[self.id_column].astype("string").fillna("").tolist()
                told = self.labels[start : start + len(ids)].tolist()
                start += len(ids)
                yield _lines(ids, [words[label + 1] for label in told])


def _lines(ids: Sequence[str], words: Sequence[str]) -> bytes:
    if not any(sign in text for text in ("".join(ids), "".join(words)) for sign in ',"\r\n'):
        return "".join([f"{i},{word}\n" for i, word in zip(ids, words, strict=True)]).encode()
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(zip(ids, words, strict=True))
    return text.getvalue().encode()
