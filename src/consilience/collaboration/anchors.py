"""Anchor data: rows that belong to nobody, by which the parties' representations are aligned.

Every party of a column draws the same anchor from the same column key; the analyst has no key and
sees the anchor only through the parties' private reductions.

============  ===================================================================================
``gaussian``  normal numbers around the middle of the public bounds. The default: a few hundred rows
              align as well as many, and independent component analysis cannot unmix them.
``uniform``   uniform numbers between the bounds, as in the experiments of [Kawamata2025]_. An
              analyst alone can unmix them once there are many rows.
============  ===================================================================================
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from consilience.study.keys import derive_key, draw_uniform

__all__ = ["ANCHORS", "anchor_digest", "default_n_anchor", "draw_anchor"]

Array = npt.NDArray[np.float64]

SPREAD = 4.0
"""Width of the public bounds in standard deviations of the gaussian anchor."""


def draw_anchor(kind: str, key: bytes, lower: Array, upper: Array, n_anchor: int) -> Array:
    """Draw the anchor of one column group from its key.

    Parameters
    ----------
    kind : {"gaussian", "uniform"}
    key : bytes
        The column key, known to the parties of this column only.
    lower, upper : ndarray of shape (n_features,)
        Public bounds of the features.
    n_anchor : int
        Number of rows, r in the paper.

    Returns
    -------
    ndarray of shape (n_anchor, n_features)

    Examples
    --------
    >>> lower, upper = np.array([0.0, -1.0]), np.array([10.0, 1.0])
    >>> draw_anchor("uniform", bytes(32), lower, upper, 3).shape
    (3, 2)
    """
    if kind not in ANCHORS:
        raise ValueError(f"anchor == {kind!r}, must be one of {sorted(ANCHORS)} or an array.")
    if n_anchor < 1:
        raise ValueError(f"n_anchor == {n_anchor}, must be >= 1: there is nothing to align by.")
    numbers = draw_uniform(derive_key(key, f"anchor {kind}"), (n_anchor, len(lower)))
    return ANCHORS[kind](numbers, lower, upper)


def _gaussian(numbers: Array, lower: Array, upper: Array) -> Array:
    # The quantile function may differ in its last bit between platforms: round it away.
    normal = np.round(ndtri(numbers) * 2.0**24) / 2.0**24
    return (lower + upper) / 2 + (upper - lower) / SPREAD * normal


def _uniform(numbers: Array, lower: Array, upper: Array) -> Array:
    return lower + (upper - lower) * numbers


ANCHORS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "gaussian": _gaussian,
    "uniform": _uniform,
}


def default_n_anchor(n_features: int) -> int:
    """Return the number of anchor rows for a table of so many columns: 400, or 4 a column."""
    return max(400, 4 * n_features)


def anchor_digest(anchor: Array) -> str:
    """Return a digest by which parties can tell that they hold the same anchor.

    Examples
    --------
    >>> anchor_digest(np.zeros((2, 2))) == anchor_digest(np.zeros((2, 2)))
    True
    """
    data = np.ascontiguousarray(anchor, dtype="<f8")
    return hashlib.sha256(repr(data.shape).encode() + data.data).hexdigest()
