"""Affine least squares: the inverse of a private map, from pairs of its input and output."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["AffineMap", "fit_affine"]

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-9
"""Singular values below this share of the largest say nothing but rounding."""


class AffineMap:
    """The map ``source @ linear + offset`` that fits given pairs best."""

    def __init__(self, linear: Array, offset: Array) -> None:
        self.linear, self.offset = linear, offset

    def apply(self, source: Array) -> Array:
        """Return the image of some rows."""
        return np.asarray(source @ self.linear + self.offset)


def fit_affine(source: Array, target: Array) -> AffineMap:
    r"""Minimise :math:`\|S W + 1 b - T\|_F`; of several solutions take the one of least W.

    Parameters
    ----------
    source : ndarray of shape (n_pairs, n_inputs)
    target : ndarray of shape (n_pairs, n_outputs)

    Examples
    --------
    >>> S = np.array([[0.0], [1.0], [2.0]])
    >>> f = fit_affine(S, 3 * S + 1)
    >>> f.linear.round(6).item(), f.offset.round(6).item()
    (3.0, 1.0)
    """
    s_mean, t_mean = source.mean(axis=0), target.mean(axis=0)
    centred = source - s_mean
    scale = centred.std(axis=0)
    scale[scale == 0] = 1.0
    W, *_ = np.linalg.lstsq(centred / scale, target - t_mean, rcond=TOLERANCE)
    W = W / scale[:, None]
    return AffineMap(W, t_mean - s_mean @ W)
