"""Are there enough nodes: the determinant of their similarities, one node at a time."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular

from consilience.continual.nodes.correntropy import correntropy

__all__ = ["SMALLEST_PIVOT", "Similarity", "append_node", "similarity_row"]

FloatArray = npt.NDArray[np.float64]
Similarity = Literal["correntropy", "cim"]

SMALLEST_PIVOT = 1e-10
"""A multiplier of the determinant below this is zero but for rounding."""


def similarity_row(Y: FloatArray, k: int, sigma: float, similarity: Similarity) -> FloatArray:
    """Return row k of the similarity matrix R, up to and including its diagonal.

    ``"correntropy"`` is Eq. (29) of [Masuyama2024]_ (CAE_FC and CA+), exp of the correntropy;
    ``"cim"`` is Eq. (12) (CAE), exp of one minus the metric.

    Parameters
    ----------
    Y : ndarray of shape (n_nodes, d)
        The nodes.
    k : int
        Index of the row, 0 <= k < n_nodes.
    sigma : float
        Bandwidth, > 0.
    similarity : {"correntropy", "cim"}
        Which of the two definitions.

    Returns
    -------
    ndarray of shape (k + 1,)
        Similarities of node k with nodes 0 to k; the last is e.

    Examples
    --------
    >>> Y = np.array([[0.0], [1.0]])
    >>> similarity_row(Y, 1, 1.0, "correntropy").round(4).tolist()
    [1.8341, 2.7183]
    """
    c = correntropy(Y[k], Y[: k + 1], sigma)
    if similarity == "cim":
        c = 1.0 - np.sqrt(np.maximum(1.0 - c, 0.0))
    row: FloatArray = np.exp(c)
    return row


def append_node(L: FloatArray, k: int, row: FloatArray) -> float:
    r"""Extend the Cholesky factor of R by one row and return the factor of the determinant.

    If :math:`R_k = L_k L_k^\top` and R grows by the row :math:`(r, e)`, then
    :math:`\det R_{k+1} = (e - \lVert L_k^{-1} r \rVert^2) \det R_k`. One triangular solve
    replaces a determinant from scratch: O(k^2) in place of O(k^3) per node.

    Parameters
    ----------
    L : ndarray of shape (capacity, capacity)
        Its leading k x k block holds the factor; row k is written.
    k : int
        Nodes already in the factor.
    row : ndarray of shape (k + 1,)
        Similarities of the new node, its own last.

    Returns
    -------
    float
        The multiplier of the determinant; 0 if the new node adds nothing (a duplicate), after
        which the determinant stays 0 and the factor must not be extended.

    Examples
    --------
    >>> R = np.array([[4.0, 2.0], [2.0, 5.0]])
    >>> L = np.zeros((2, 2))
    >>> append_node(L, 0, R[0, :1]) * append_node(L, 1, R[1])
    16.0
    """
    if k:
        L[k, :k] = solve_triangular(L[:k, :k], row[:k], lower=True, check_finite=False)
    pivot = float(row[k] - L[k, :k] @ L[k, :k])
    if pivot < SMALLEST_PIVOT:
        return 0.0
    L[k, k] = np.sqrt(pivot)
    return pivot
