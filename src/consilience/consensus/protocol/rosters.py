"""Rows meet by pseudonym: which rows all peers hold, in one order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["ascending", "common_rows", "sort_pseudonyms"]

Bytes = npt.NDArray[np.uint8]
_HALVES = np.dtype([("high", ">u8"), ("low", ">u8")])


def _keys(pseudonyms: Bytes) -> npt.NDArray[np.void]:
    return np.ascontiguousarray(pseudonyms).view(_HALVES).ravel()


def sort_pseudonyms(pseudonyms: Bytes) -> tuple[Bytes, npt.NDArray[np.int64]]:
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


def common_rows(own: Bytes, others: list[Bytes]) -> npt.NDArray[np.int64]:
    """Find which of a peer's rows every other peer holds too.

    Parameters
    ----------
    own : ndarray of shape (n_rows, 16), uint8
        Ascending, each once, as all rosters are.
    others : list of ndarray of shape (n_i, 16), uint8

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
