"""How near is near enough: the similarity threshold of the vigilance test."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.continual.nodes.correntropy import cim

__all__ = ["SLACK", "similarity_threshold"]

SLACK = 1e-9
"""Added to the threshold: a distance that equals it but for rounding is not above it."""


def similarity_threshold(A: npt.NDArray[np.float64], sigma: float) -> float:
    r"""Return the mean distance of the active nodes to their nearest other node.

    .. math:: V = \frac{1}{|A|} \sum_i \min_{j \ne i}
              \operatorname{CIM}(y_i, y_j, \sigma)

    which is Eq. (14) of [Masuyama2024]_.

    Parameters
    ----------
    A : ndarray of shape (n_active, d)
        Active nodes.
    sigma : float
        Mean bandwidth of the nodes, > 0.

    Returns
    -------
    float
        The threshold, in [0, 1] but for a slack of 1e-9.

    Notes
    -----
    A node equal to another one has a nearest distance of exactly zero, which would pull the
    threshold towards "everything is new". Zeros are left out, of the minimum and of the mean;
    if nothing is left (all nodes equal) the threshold is 0.

    Examples
    --------
    >>> round(similarity_threshold(np.array([[0.0], [1.0], [1.0]]), 1.0), 4)
    0.6273
    """
    nearest = []
    for y in A:
        distances = cim(y, A, sigma)
        distances = distances[distances > 0.0]
        if distances.size:
            nearest.append(distances.min())
    return float(np.mean(nearest)) + SLACK if nearest else 0.0
