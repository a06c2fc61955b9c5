"""Rows meet by pseudonym: which rows all peers hold, in one order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["CommonRows", "ascending", "halves", "held_too", "sort_pseudonyms"]

Labels = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Halves = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]


class CommonRows:
    """A peer's table, and the rows of it that all peers hold.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    pseudonyms : ndarray of shape (n_rows, 16), uint8, or None
        None if every peer holds the same rows in the same order.

    Attributes
    ----------
    roster : ndarray of shape (n_rows, 16), uint8, or None
        The pseudonyms in ascending order.
    places : ndarray of int64
        Places of the common rows in the table, in the order of all peers.
    """

    def __init__(self, X: npt.NDArray[np.float64], pseudonyms: Bytes | None) -> None:
        self._X, self.roster = X, pseudonyms
        self._order = np.arange(len(X), dtype=np.int64)
        if pseudonyms is not None:
            self.roster, self._order = sort_pseudonyms(pseudonyms)
        self.places = self._order

    def meet(self, held: Iterable[npt.NDArray[np.bool_]]) -> None:
        """Keep the rows of the roster that each other peer holds, too."""
        common = np.ones(len(self._order), dtype=np.bool_)
        for theirs in held:
            common &= theirs
        self.places = self._order[common]

    @property
    def common(self) -> npt.NDArray[np.float64]:
        """The columns of all common rows."""
        return self._X[self.places]

    def of(self, active: Labels) -> npt.NDArray[np.float64]:
        """Return the columns of some of the common rows."""
        return self._X[self.places[active]]

    def scene(self, active: Labels) -> str:
        """Name the common rows and the active ones: a nonce never serves two such scenes."""
        hashed = hashlib.sha256(active.tobytes())
        if self.roster is not None:
            hashed.update(self.roster[np.isin(self._order, self.places)].tobytes())
        return hashed.hexdigest()

    def spread(self, labels: Labels) -> Labels:
        """Put labels of the common rows where these are in the table; -1 for the others."""
        whole = np.full(len(self._X), -1, dtype=np.int64)
        whole[self.places] = labels
        return whole

    def digest(self) -> bytes:
        """Hash the table."""
        shape = str(self._X.shape).encode()
        return hashlib.sha256(shape + np.ascontiguousarray(self._X).tobytes()).digest()


def halves(pseudonyms: Bytes) -> Halves:
    """Read pseudonyms as pairs of numbers that are ordered like them."""
    pairs = np.ascontiguousarray(pseudonyms).view(">u8").astype(np.uint64)
    return pairs[:, 0], pairs[:, 1]


def sort_pseudonyms(pseudonyms: Bytes) -> tuple[Bytes, Labels]:
    """Put pseudonyms in ascending order, which hides the order of the table.

    Parameters
    ----------
    pseudonyms : ndarray of shape (n_rows, 16), uint8

    Returns
    -------
    sorted : ndarray of shape (n_rows, 16), uint8
    order : ndarray of shape (n_rows,), int64
        Places in the table.
    """
    high, low = halves(pseudonyms)
    order = np.lexsort((low, high)).astype(np.int64)
    return pseudonyms[order], order


def held_too(own: Bytes, other: Bytes) -> npt.NDArray[np.bool_]:
    """Tell which of a peer's rows another peer holds too.

    Parameters
    ----------
    own : ndarray of shape (n_rows, 16), uint8
        Each once, as in all rosters.
    other : ndarray of shape (n_others, 16), uint8

    Returns
    -------
    ndarray of shape (n_rows,), bool

    Examples
    --------
    >>> ids = np.zeros((4, 16), dtype=np.uint8)
    >>> ids[:, 15] = [1, 3, 5, 7]
    >>> held_too(ids, ids[[0, 1, 3]])
    array([ True,  True, False,  True])
    """
    ordered, order = sort_pseudonyms(np.concatenate([own, other]))
    twice = np.flatnonzero((ordered[1:] == ordered[:-1]).all(axis=1))
    held = np.zeros(len(order), dtype=np.bool_)
    held[order[twice]] = held[order[twice + 1]] = True
    return held[: len(own)]


def ascending(pseudonyms: Bytes) -> bool:
    """Tell whether pseudonyms ascend strictly, so that none comes twice."""
    high, low = halves(pseudonyms)
    up = (high[1:] > high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] > low[:-1]))
    return bool(up.all())
