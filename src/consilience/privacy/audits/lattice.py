r"""Lattices: bases made short [Lenstra1982]_, and the points nearest to others [Babai1986]_.

The rows of a matrix B with m rows span the lattice of all :math:`c B` with integers c. Any
:math:`U B` with U an integer matrix of determinant 1 or -1 spans the same one; where its rows are
short and nearly at right angles, the point nearest to a given one is found by rounding, one
coefficient after the other.
"""

from __future__ import annotations

from math import hypot

import numpy as np
import numpy.typing as npt

__all__ = ["nearest_points", "reduce_basis"]

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LARGEST = 2**53
"""Beyond this double precision knows no single integers."""
TINY = float(np.finfo(np.float64).tiny)
LOOSE = 1.0
"""How far a row may lean on one before it while that decides about no swap; at the end, a half."""


def reduce_basis(B: Array, shorter: float = 0.99) -> Integers:
    """Return U, such that the rows of ``U @ B`` are short.

    Parameters
    ----------
    B : ndarray of shape (m, d)
        Independent rows, d >= m. Double precision carries a basis whose rows shrink by a factor of
        a million or so; a caller with a worse one comes closer step by step.
    shorter : float
        Neighbours are swapped if the square of the first shrinks below this share: 0.75 takes half
        the time, 0.99 finds shorter rows.

    Returns
    -------
    ndarray of shape (m, m), int64

    Notes
    -----
    Works on the triangular factor R of :math:`B^T = QR`, which a rotation of two rows repairs after
    a swap.

    Examples
    --------
    >>> B = np.array([[1.0, 0.0], [1000.0, 1.0]])
    >>> reduce_basis(B) @ B
    array([[1., 0.],
           [0., 1.]])
    """
    R = np.asarray(np.linalg.qr(B.T, mode="r"))
    U = np.eye(len(B), dtype=np.int64)
    i = 1
    while i < len(B):
        _straighten(R, U, i, i - 1, 0.5)
        before, over, own = R.item(i - 1, i - 1), R.item(i - 1, i), R.item(i, i)
        if over * over + own * own < shorter * before * before:
            _swap(R, U, i)
            i = max(1, i - 1)
        else:
            _straighten(R, U, i, 0, LOOSE)
            i += 1
    for i in range(1, len(B)):
        _straighten(R, U, i, 0, 0.5)
    return U


def _straighten(R: Array, U: Integers, i: int, first: int, most: float) -> None:
    """Take rows from `first` on from row i of the basis, until it leans on none by more."""
    entry = R.item
    for j in range(i - 1, first - 1, -1):
        leaning, length = entry(j, i), entry(j, j)
        if abs(leaning) > most * abs(length):
            times = min(max(round(leaning / length), -LARGEST), LARGEST)
            R[: j + 1, i] -= times * R[: j + 1, j]
            U[i] -= times * U[j]


def _swap(R: Array, U: Integers, i: int) -> None:
    """Exchange rows i - 1 and i of the basis, and make R triangular again."""
    a, b, c = R.item(i - 1, i - 1), R.item(i - 1, i), R.item(i, i)
    length = max(hypot(b, c), TINY)
    cosine, sine = b / length, c / length
    R[: i - 1, i - 1 : i + 1] = R[: i - 1, i - 1 : i + 1][:, ::-1].copy()
    turn = np.array([[cosine, sine], [-sine, cosine]])
    R[i - 1 : i + 1, i + 1 :] = turn @ R[i - 1 : i + 1, i + 1 :]
    R[i - 1, i - 1], R[i - 1, i], R[i, i - 1], R[i, i] = length, cosine * a, 0.0, -sine * a
    U[i - 1 : i + 1] = U[i - 1 : i + 1][::-1].copy()


def nearest_points(R: Array, targets: Array, n_points: int) -> Integers:
    r"""Find integers c that make :math:`\|y - R c\|` small, for many y at once.

    Coefficients are fixed from the last to the first, each at the nearest integer or one beside
    it, and of all ways so far the `n_points` best are followed. One way alone is Babai's algorithm.

    Parameters
    ----------
    R : ndarray of shape (m, m)
        Upper triangular.
    targets : ndarray of shape (n_targets, m)
    n_points : int

    Returns
    -------
    ndarray of shape (n_targets, n_found, m), int64
        At most `n_points` for each target, the nearest first.

    Examples
    --------
    >>> R = np.array([[2.0, 1.0], [0.0, 2.0]])
    >>> nearest_points(R, np.array([[5.2, 2.1]]), 2)
    array([[[2, 1],
            [3, 1]]])
    """
    n, m = targets.shape
    left = targets[:, None, :].copy()
    points = np.zeros((n, 1, m), dtype=np.int64)
    cost = np.zeros((n, 1))
    for i in range(m - 1, -1, -1):
        # A target so far off has no nearest point in double precision, but must not overflow.
        exact = np.clip(left[:, :, i] / R[i, i], -LARGEST, LARGEST)
        nearest = np.rint(exact)
        side = np.where(exact >= nearest, 1.0, -1.0)
        tried = np.stack([nearest, nearest + side, nearest - side], axis=2)
        costs = cost[:, :, None] + ((exact[:, :, None] - tried) * R[i, i]) ** 2
        n_tried, costs, tried = tried.shape[2], costs.reshape(n, -1), tried.reshape(n, -1)
        kept = np.argsort(costs, axis=1, kind="stable")[:, :n_points]
        ways = (kept // n_tried)[:, :, None]
        cost, chosen = np.take_along_axis(costs, kept, 1), np.take_along_axis(tried, kept, 1)
        points = np.take_along_axis(points, ways, 1)
        points[:, :, i] = chosen
        left = np.take_along_axis(left, ways, 1)
        left[:, :, :i] -= chosen[:, :, None] * R[:i, i]
    return points
