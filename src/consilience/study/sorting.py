"""Rows put into the order of their pseudonyms, outside memory.

Rows are dealt to 256 buckets by the first byte of their pseudonym as they come, in a file without a
name, and each bucket is sorted when all have come. Pseudonyms look like chance, so buckets are
alike; no more than one is held.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.messages import PSEUDONYM_BYTES

__all__ = ["Buckets"]

Codes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]

N_BUCKETS = 256


class Buckets:
    """Takes rows in any order, and gives them back by their pseudonyms; to be used within ``with``.

    Parameters
    ----------
    folder : Path
        A private folder: rows lie there as they are, in a file without a name.
    n_features : int
        Numbers of a row; may be 0.

    Examples
    --------
    >>> codes = np.arange(48, dtype=np.uint8).reshape(3, 16)[::-1]
    >>> with Buckets(Path("."), 1) as buckets:
    ...     buckets.add(codes, np.arange(3), np.array([[3.0], [2.0], [1.0]]))
    ...     [(places.tolist(), rows.ravel().tolist()) for codes, places, rows in buckets.sorted()]
    [([2], [1.0]), ([1], [2.0]), ([0], [3.0])]
    """

    def __init__(self, folder: Path, n_features: int) -> None:
        row = [("code", np.uint8, (PSEUDONYM_BYTES,)), ("place", "<i8")]
        self._kind = np.dtype([*row, ("numbers", "<f8", (n_features,))])
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._ends: list[npt.NDArray[np.int64]] = []
        self._n_rows = 0

    def __enter__(self) -> Buckets:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, codes: Codes, places: npt.NDArray[Any], numbers: Array) -> None:
        """Take some rows: their pseudonyms, where they stand in the table, and what they hold."""
        rows, first = np.empty(len(codes), dtype=self._kind), codes[:, 0]
        order = np.argsort(first, kind="stable")
        rows["code"], rows["place"] = codes[order], places[order]
        rows["numbers"] = numbers[order]
        self._file.write(rows.data)
        ends = np.cumsum(np.bincount(first, minlength=N_BUCKETS))
        self._ends.append(np.append(0, ends) + self._n_rows)
        self._n_rows += len(codes)

    def sorted(self) -> Iterator[tuple[Codes, Places, Array]]:
        """Yield the rows, bucket by bucket; of the same pseudonym, in the order they came."""
        for bucket in range(N_BUCKETS):
            rows = self._read(bucket)
            if len(rows):
                codes = np.ascontiguousarray(rows["code"])
                halves = codes.view(">u8").astype(np.uint64)
                order = np.argsort(halves[:, 0], kind="stable")
                heads = halves[order, 0]
                if (heads[1:] == heads[:-1]).any():
                    order = np.lexsort((halves[:, 1], halves[:, 0]))
                yield codes[order], rows["place"][order], rows["numbers"][order]

    def _read(self, bucket: int) -> npt.NDArray[np.void]:
        """Read what was dealt to a bucket, in the order it came."""
        size, pieces = self._kind.itemsize, []
        for ends in self._ends:
            start, end = int(ends[bucket]), int(ends[bucket + 1])
            if end > start:
                self._file.seek(start * size)
                pieces.append(self._file.read((end - start) * size))
        return np.frombuffer(b"".join(pieces), dtype=self._kind)
