r"""Local Fisher discriminant analysis [Sugiyama2007]_: classes apart, neighbours together.

With an affinity :math:`A_{ij} = \exp(-\|x_i - x_j\|^2 / (\sigma_i \sigma_j))`, where
:math:`\sigma_i` is the distance from :math:`x_i` to its 7th nearest neighbour, and :math:`n_c` rows
of class c among n,

.. math::
    S_w = \tfrac12 \sum_{ij} W^w_{ij} (x_i - x_j)(x_i - x_j)^T, \qquad
    W^w_{ij} = A_{ij} / n_c \text{ inside class } c, \text{ else } 0

    S_b = \tfrac12 \sum_{ij} W^b_{ij} (x_i - x_j)(x_i - x_j)^T, \qquad
    W^b_{ij} = A_{ij} (1/n - 1/n_c) \text{ inside class } c, \text{ else } 1/n

(Eqs. 10 to 13 and 17 there). The directions maximise :math:`v^T S_b v / v^T S_w v`. With
:math:`A = 1` they are Fisher's own; unlike those, there are more than ``n_classes - 1``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

__all__ = ["SCALING_NEIGHBOR", "local_affinity", "local_scatter"]

Array = npt.NDArray[np.float64]

SCALING_NEIGHBOR = 7


def local_affinity(X: Array, neighbor: int = SCALING_NEIGHBOR) -> Array:
    """Return the affinity of rows with the local scaling of Zelnik-Manor and Perona.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    neighbor : int
        Which neighbour's distance scales a row; the farthest if there are fewer rows.

    Returns
    -------
    ndarray of shape (n_rows, n_rows), values in [0, 1]

    Examples
    --------
    >>> local_affinity(np.array([[0.0], [1.0], [3.0]]), neighbor=1).round(3)
    array([[1.   , 0.368, 0.011],
           [0.368, 1.   , 0.135],
           [0.011, 0.135, 1.   ]])
    """
    squares = cdist(X, X, "sqeuclidean")
    k = min(neighbor, len(X) - 1)
    scale = np.sqrt(np.partition(squares, k, axis=1)[:, k])
    product = np.outer(scale, scale)
    # Rows with k twins have scale zero: they are alike to their twins and to nobody else.
    safe = np.where(product > 0, product, 1.0)
    return np.where(product > 0, np.exp(-squares / safe), np.where(squares == 0, 1.0, 0.0))


def local_scatter(
    X: Array, y: npt.NDArray[Any], neighbor: int = SCALING_NEIGHBOR
) -> tuple[Array, Array]:
    """Return the local between-class and within-class scatter, S_b and S_w.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Classes.
    neighbor : int

    Notes
    -----
    Affinities matter inside a class only, so neighbours are sought there: the cost is the square
    of the largest class and not of all rows. What lies between classes follows from the total
    scatter of :math:`1/n` for every pair, less its part inside the classes.

    Examples
    --------
    >>> between, within = local_scatter(np.array([[0.0], [1.0], [4.0], [5.0]]), [0, 0, 1, 1], 1)
    >>> round(within.item(), 4), round(between.item(), 4)
    (0.3679, 16.3161)
    """
    n, codes = len(X), np.unique(np.asarray(y), return_inverse=True)[1]
    centred = X - X.mean(axis=0)
    between = centred.T @ centred
    within = np.zeros_like(between)
    for c in range(codes.max() + 1):
        rows = centred[codes == c]
        size = len(rows)
        local = _scatter_of(rows, local_affinity(rows, neighbor))
        within += local / size
        between += local * (1 / n - 1 / size)
        between -= _scatter_of(rows, np.ones((size, size))) / n
    return between, within


def _scatter_of(X: Array, W: Array) -> Array:
    """Return half the sum of W_ij (x_i - x_j)(x_i - x_j)^T, which is X^T (D - W) X."""
    return np.asarray(X.T @ (W.sum(axis=1)[:, None] * X) - X.T @ (W @ X))
