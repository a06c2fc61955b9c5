"""Rows meet by pseudonym: which rows all peers hold, in one order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["CommonRows", "ascending", "common_rows", "sort_pseudonyms"]

Labels = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
_HALVES = np.dtype([("high", ">u8"), ("low", ">u8")])


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

    def meet(self, rosters: Iterable[Bytes]) -> None:
        """Keep the rows that are in the rosters of all others, too."""
        assert self.roster is not None
        self.places = self._order[common_rows(self.roster, rosters)]

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


def _keys(pseudonyms: Bytes) -> npt.NDArray[np.void]:
    return np.ascontiguousarray(pseudonyms).view(_HALVES).ravel()


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
    order = np.argsort(_keys(pseudonyms), kind="stable").astype(np.int64)
    return pseudonyms[order], order


def common_rows(own: Bytes, others: Iterable[Bytes]) -> Labels:
    """Find which of a peer's rows every other peer holds too.

    Parameters
    ----------
    own : ndarray of shape (n_rows, 16), uint8
        Ascending, each once, as all rosters are.
    others : iterable of ndarray of shape (n_i, 16), uint8

    Returns
    -------
    ndarray of int64
        Places in `own`, ascending: the same rows in the same order at every peer.

    Examples
    --------
    >>> ids = np.zeros((4, 16), dtype=np.uint8)
    >>> ids[:, 15] = [1, 3, 5, 7]
    >>> common_rows(ids, [ids[1:], ids[[0, 1, 3]]])
    array([1, 3])
    """
    places = np.arange(len(own), dtype=np.int64)
    keys = _keys(own)
    for other in others:
        _, mine, _ = np.intersect1d(
            keys[places], _keys(other), assume_unique=True, return_indices=True
        )
        places = places[np.sort(mine)]
    return places


def ascending(pseudonyms: Bytes) -> bool:
    """Tell whether pseudonyms ascend strictly, so that none comes twice."""
    keys = _keys(pseudonyms)
    high, low = keys["high"].astype(np.uint64), keys["low"].astype(np.uint64)
    up = (high[1:] > high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] > low[:-1]))
    return bool(up.all())
