"""Affine maps fitted to pairs: the inverse of a private map, from its inputs and outputs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["AffineMap", "fit_affine", "fit_ridge"]

Array = npt.NDArray[np.float64]

TOLERANCE = 1e-9
"""Singular values below this share of the largest say nothing but rounding."""
DETERMINED = 1e-9
PENALTIES = np.logspace(-10, 1, 23)
"""Ridge penalties tried, as shares of the total variance of the source."""


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


def fit_ridge(source: Array, target: Array) -> AffineMap:
    """Fit an affine map by ridge regression, the penalty chosen by leaving out one pair at a time.

    With about as many pairs as inputs, plain least squares follows whatever the target has beside
    the map; the error of each pair when it is left out has a closed form and tells how much to
    shrink.

    Parameters
    ----------
    source : ndarray of shape (n_pairs, n_inputs)
        At least two pairs.
    target : ndarray of shape (n_pairs, n_outputs)

    Examples
    --------
    >>> S = np.array([[0.0], [1.0], [2.0]])
    >>> fit_ridge(S, 3 * S + 1).apply(np.array([[10.0]])).round(3)
    array([[31.]])
    """
    s_mean, t_mean = source.mean(axis=0), target.mean(axis=0)
    left, values, right = np.linalg.svd(source - s_mean, full_matrices=False)
    rotated = left.T @ (target - t_mean)
    squares = values**2
    total = float(squares.sum()) or 1.0
    # Targets count alike, whatever their units.
    spread = target.std(axis=0)
    spread[spread == 0] = 1.0
    errors = []
    for penalty in PENALTIES * total:
        shrink = squares / (squares + penalty)
        residual = (target - t_mean - left @ (shrink[:, None] * rotated)) / spread
        free = 1.0 - 1.0 / len(source) - (left**2) @ shrink
        # Where a pair determines its own prediction the closed form is 0 / 0: shrink more.
        determined = float(free.min()) < DETERMINED
        errors.append(np.inf if determined else float(((residual / free[:, None]) ** 2).sum()))
    last = len(errors) - 1 - int(np.argmin(errors[::-1]))
    best = PENALTIES[last] * total
    W = right.T @ ((values / (squares + best))[:, None] * rotated)
    return AffineMap(W, t_mean - s_mean @ W)
