"""Whole numbers in as few bits as they need: what keeps the wire within Proposition 3.1."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["bit_width", "pack", "unpack"]


def bit_width(n_values: int) -> int:
    r"""Give :math:`\lceil \log_2 n \rceil`, the bits that tell n values apart.

    Examples
    --------
    >>> bit_width(1), bit_width(2), bit_width(5), bit_width(8)
    (0, 1, 3, 3)
    """
    return max(n_values - 1, 0).bit_length()


def pack(values: npt.NDArray[np.int64], n_values: int) -> npt.NDArray[np.uint8]:
    """Write numbers of [0, n_values) one after the other, high bit first.

    Examples
    --------
    >>> pack(np.array([1, 0, 3, 2]), 4)
    array([78], dtype=uint8)
    """
    width = bit_width(n_values)
    shifts = np.arange(width - 1, -1, -1, dtype=np.int64)
    bits = np.empty((len(values), width), dtype=np.uint8)
    for place, shift in enumerate(shifts):
        bits[:, place] = (values >> shift) & 1
    return np.packbits(bits.ravel())


def unpack(packed: npt.NDArray[np.uint8], n_values: int, count: int) -> npt.NDArray[np.int64]:
    """Read `count` numbers back; the caller has checked the length.

    Examples
    --------
    >>> unpack(pack(np.array([1, 0, 3, 2]), 4), 4, 4)
    array([1, 0, 3, 2])
    """
    width = bit_width(n_values)
    bits = np.unpackbits(packed, count=count * width).reshape(count, width)
    values = np.zeros(count, dtype=np.int64)
    for column in bits.T:
        values = (values << 1) | column
    return values
