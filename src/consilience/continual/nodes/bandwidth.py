"""How wide is the kernel: Silverman's rule over the nodes in use."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["SMALLEST_SPREAD", "bandwidth"]

SMALLEST_SPREAD = 1e-6
"""Standard deviation used in place of zero, so that a constant feature has a kernel."""


def bandwidth(A: npt.NDArray[np.float64]) -> float:
    r"""Return one bandwidth for the points `A`.

    .. math:: \sigma = \operatorname{median}_j\;
              \left(\frac{4}{2 + d}\right)^{\frac{1}{4 + d}} \Gamma_j \; n^{-\frac{1}{4 + d}}

    with :math:`\Gamma_j` the standard deviation of feature j: Eqs. (10) and (13) of
    [Masuyama2024]_.

    Parameters
    ----------
    A : ndarray of shape (n, d)
        Points, n >= 1.

    Returns
    -------
    float
        The bandwidth, > 0, in the units of the features.

    Notes
    -----
    The paper leaves open the divisor of the standard deviation (here n - 1) and a feature that
    does not vary: its spread counts as 1e-6, and so does every spread of a single point.

    Examples
    --------
    >>> round(bandwidth(np.array([[0.0], [1.0], [2.0]])), 4)
    0.8503
    >>> bandwidth(np.array([[5.0, 5.0]])) < 1e-5
    True
    """
    n, d = A.shape
    spread = A.std(axis=0, ddof=1) if n > 1 else np.zeros(d)
    spread = np.where(spread == 0.0, SMALLEST_SPREAD, spread)
    exponent = 1.0 / (4.0 + d)
    return float(np.median((4.0 / (2.0 + d)) ** exponent * spread * n**-exponent))
