"""Anchors that a column key and public bounds determine: gaussian, uniform and rotated."""

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
    kind : {"gaussian", "uniform", "rotated"}
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
        raise ValueError(
            f"anchor == {kind!r}, must be one of {sorted(ANCHORS)}, a Smote or LowRank anchor, or "
            f"an array."
        )
    if n_anchor < 1:
        raise ValueError(f"n_anchor == {n_anchor}, must be >= 1: there is nothing to align by.")
    return ANCHORS[kind](derive_key(key, f"anchor {kind}"), lower, upper, n_anchor)


def _gaussian(key: bytes, lower: Array, upper: Array, n_anchor: int) -> Array:
    anchor = draw_uniform(key, (n_anchor, len(lower)))
    anchor = _rounded(ndtri(anchor, out=anchor))
    anchor *= (upper - lower) / SPREAD
    anchor += (lower + upper) / 2
    return anchor


def _uniform(key: bytes, lower: Array, upper: Array, n_anchor: int) -> Array:
    return lower + (upper - lower) * draw_uniform(key, (n_anchor, len(lower)))


def _rotated(key: bytes, lower: Array, upper: Array, n_anchor: int) -> Array:
    """Mix independent uniform numbers by a rotation only the key knows.

    Unmixing finds the numbers before the rotation, which are nobody's features. One factor for all
    rows then brings the cloud inside the bounds: pulling in single rows would flatten it along the
    features and give their directions away.
    """
    m = len(lower)
    Q, R = np.linalg.qr(ndtri(draw_uniform(derive_key(key, "rotation"), (m, m))))
    mixed = (2 * draw_uniform(key, (n_anchor, m)) - 1) @ (Q * np.sign(np.diag(R)))
    return (lower + upper) / 2 + (upper - lower) / 2 * _rounded(mixed / np.abs(mixed).max())


def _rounded(numbers: Array) -> Array:
    """Round away the last bits, in which platforms may differ: digests must not."""
    rounded = numbers * 2.0**24
    np.round(rounded, out=rounded)
    rounded /= 2.0**24
    return np.asarray(rounded)


ANCHORS: dict[str, Callable[[bytes, Array, Array, int], Array]] = {
    "gaussian": _gaussian,
    "uniform": _uniform,
    "rotated": _rotated,
}


def default_n_anchor(n_features: int) -> int:
    """Return the number of anchor rows for a table of so many columns.

    It is 400, or 4 a column, or 600 more than columns if that is fewer: all that a map needs is
    more rows than columns, and what moving an anchor costs grows with both.

    Examples
    --------
    >>> [default_n_anchor(m) for m in (10, 150, 2_000)]
    [400, 600, 2600]
    """
    return max(400, min(4 * n_features, n_features + 600))


def anchor_digest(anchor: Array) -> str:
    """Return a digest by which parties can tell that they hold the same anchor.

    Examples
    --------
    >>> anchor_digest(np.zeros((2, 2))) == anchor_digest(np.zeros((2, 2)))
    True
    """
    data = np.ascontiguousarray(anchor, dtype="<f8")
    return hashlib.sha256(repr(data.shape).encode() + data.data).hexdigest()
