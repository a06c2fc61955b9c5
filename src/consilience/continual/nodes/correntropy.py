"""How alike are two points: correntropy and the metric it induces."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["cim", "correntropy"]

FloatArray = npt.NDArray[np.float64]


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
    distances: FloatArray = np.sqrt(np.maximum(1.0 - correntropy(x, Y, sigma), 0.0))
    return distances
