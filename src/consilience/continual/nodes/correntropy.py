"""How alike are two points: correntropy and the metric it induces."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["TIE", "cim", "correntropy", "to_distance", "two_most_alike"]

FloatArray = npt.NDArray[np.float64]

TIE = 1e-12
"""Correntropies closer than this are equal.

On discrete data many are, but for the rounding of the path that computes them: without a margin
chance would decide who wins. What differs, differs by far more.
"""


def correntropy(x: FloatArray, Y: FloatArray, sigma: float) -> FloatArray:
    r"""Return the correntropy of one point with every row of `Y`.

    .. math:: \hat C(x, y, \sigma)
              = \frac1d \sum_{i=1}^{d} \exp\left[-\frac{(x_i - y_i)^2}{2\sigma^2}\right]

    which is Eqs. (5) and (6) of [Masuyama2024]_: 1 for equal points, near 0 for points that
    differ by many bandwidths in every coordinate.

    Parameters
    ----------
    x : ndarray of shape (d,)
        The point.
    Y : ndarray of shape (n_nodes, d)
        The points it is compared with.
    sigma : float
        Bandwidth of the Gaussian kernel, > 0, in the units of the features.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Values in [0, 1].

    Examples
    --------
    >>> Y = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> correntropy(np.array([0.0, 0.0]), Y, 1.0).round(4).tolist()
    [1.0, 0.8033]
    """
    values: FloatArray = np.exp(-((Y - x) ** 2) / (2.0 * sigma * sigma)).mean(axis=1)
    return values


def cim(x: FloatArray, Y: FloatArray, sigma: float) -> FloatArray:
    """Return the correntropy-induced metric between one point and every row of `Y`.

    The square root of one minus the :func:`correntropy` of the same arguments, Eq. (7) of
    [Masuyama2024]_: 0 for equal points, at most 1.

    Examples
    --------
    >>> Y = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> cim(np.array([0.0, 0.0]), Y, 1.0).round(4).tolist()
    [0.0, 0.4435]
    """
    return to_distance(correntropy(x, Y, sigma))


def to_distance(c: FloatArray) -> FloatArray:
    """Return the metric that correntropies `c` induce; exactly 0 where they are 1 but for rounding.

    Examples
    --------
    >>> to_distance(np.array([1.0, 1.0 - 1e-15, 0.75])).tolist()
    [0.0, 0.0, 0.5]
    """
    away = 1.0 - c
    return np.sqrt(np.where(away < TIE, 0.0, away))


def two_most_alike(c: FloatArray) -> tuple[int, int]:
    """Return the indices of the largest and second largest correntropy; of equals the first.

    With one there is no second, and it stands for both.

    Examples
    --------
    >>> two_most_alike(np.array([0.2, 0.7, 0.7 + 1e-15, 0.1]))
    (1, 2)
    """
    first = int((c >= c.max() - TIE).argmax())
    others = np.where(np.arange(c.size) == first, -np.inf, c)
    return first, int((others >= others.max() - TIE).argmax())
