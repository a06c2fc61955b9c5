"""Finding pseudonyms among others: rows of different tables, or of a table and its answer, meet.

Pseudonyms are sixteen bytes that look like chance, and parties send them in rising order. So their
first eight bytes, read as one number, nearly always tell them apart, and are found by bisection in
an order that is already there. Where first halves repeat, which chance or somebody's will may bring
about, whole pseudonyms are compared.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["PseudonymIndex"]

Codes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]


class PseudonymIndex:
    """Pseudonyms, to be searched.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, 16), uint8

    Attributes
    ----------
    order : ndarray of shape (n_rows,), or None
        The places of the pseudonyms in rising order; None if they stand so.
    n_doubles : int
        How many are there already.

    Examples
    --------
    >>> codes = np.arange(48, dtype=np.uint8).reshape(3, 16)
    >>> PseudonymIndex(codes[[2, 0]]).find(codes)
    array([ 1, -1,  0])
    """

    def __init__(self, codes: Codes) -> None:
        heads, tails = _halves(codes)
        self.order: Places | None = None
        if not _rising(heads, tails).all():
            self.order = np.lexsort((tails, heads))
            heads, tails = heads[self.order], tails[self.order]
        self.n_doubles = int((~_rising(heads, tails)).sum())
        self._heads, self._tails = heads, tails
        self._whole: npt.NDArray[np.void] | None = None
        if (heads[1:] == heads[:-1]).any():
            self._whole = _as_texts(codes)[slice(None) if self.order is None else self.order]

    def find(self, codes: Codes) -> Places:
        """Return where each pseudonym stands in what is searched, -1 where it does not."""
        if not len(self._heads):
            return np.full(len(codes), -1, dtype=np.intp)
        last = len(self._heads) - 1
        if self._whole is None:
            heads, tails = _halves(codes)
            place = np.minimum(np.searchsorted(self._heads, heads), last)
            found = (self._heads[place] == heads) & (self._tails[place] == tails)
        else:
            texts = _as_texts(codes)
            place = np.minimum(np.searchsorted(self._whole, texts), last)
            found = self._whole[place] == texts
        if self.order is not None:
            place = self.order[place]
        place[~found] = -1
        return place


def _halves(codes: Codes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Read the two halves of pseudonyms as numbers that are in the same order as their bytes."""
    pairs = np.ascontiguousarray(codes).view(">u8")
    return pairs[:, 0].astype(np.uint64), pairs[:, 1].astype(np.uint64)


def _rising(heads: npt.NDArray[np.uint64], tails: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Tell which pseudonyms are above the one before."""
    level = heads[1:] == heads[:-1]
    return np.asarray((heads[1:] > heads[:-1]) | (level & (tails[1:] > tails[:-1])))


def _as_texts(codes: Codes) -> npt.NDArray[np.void]:
    rows = np.ascontiguousarray(codes)
    return rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
