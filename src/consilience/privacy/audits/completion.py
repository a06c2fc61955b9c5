r"""Completion: cells that are known tell of the others, together with what was sent.

Of a row x sent as :math:`z = x F + b`, some columns K are known and others U are not. Rows being
expected about :math:`\mu` with covariance :math:`\Sigma`, the best guess of U is that of a normal
variable of which K and z are given; where z has as many numbers as U has columns, it is exact.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.privacy.audits.forward_map import ForwardMap

__all__ = ["complete_rows"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

LEAST = 1e-12
"""Variance of a direction in which rows alike do not differ, as a share of the mean."""
EXACT = 1e-7
"""A guess so precise, as a share of the spread of its column, is the value."""


def complete_rows(
    rows: Array,
    known: Mask,
    representation: Array,
    f: ForwardMap,
    mean: Array,
    covariance: Array,
) -> tuple[Array, Mask]:
    """Guess the cells that are not known from those that are, and from what was sent.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
    known : ndarray of shape (n_rows, n_features), bool
        The cells that are right.
    representation : ndarray of shape (n_rows, n_components)
    f : ForwardMap
    mean : ndarray of shape (n_features,)
    covariance : ndarray of shape (n_features, n_features)
        Where rows are expected.

    Returns
    -------
    rows : ndarray of shape (n_rows, n_features)
    precise : ndarray of shape (n_rows, n_features), bool
        The cells that are known now, because nothing else fits.

    Examples
    --------
    Of two numbers the sum is sent, and the first is known:

    >>> f = ForwardMap(np.ones((2, 1)), np.zeros(1), np.full(1, 1e-12))
    >>> known = np.array([[True, False]])
    >>> found, precise = complete_rows(
    ...     np.array([[3.0, 0.0]]), known, np.array([[7.5]]), f, np.zeros(2), np.eye(2))
    >>> found.round(6), precise
    (array([[3. , 4.5]]), array([[ True,  True]]))
    """
    rows, precise = rows.copy(), known.copy()
    accuracy = f.accuracy(mean, covariance)
    # A coordinate that is always 0 tells nothing, however accurate it is.
    accuracy = np.where(accuracy > 0, accuracy, 1.0)
    spread = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        here, given, left = (
            which.ravel() == number,
            np.flatnonzero(pattern),
            np.flatnonzero(~pattern),
        )
        if not len(left):
            continue
        expected, scatter = _given(rows[np.ix_(here, given)], given, left, mean, covariance)
        rows[np.ix_(here, left)] = expected
        away = (representation[here] - f.apply(rows[here])) / accuracy
        step, sd = _update(away, scatter, f.linear[left] / accuracy)
        rows[np.ix_(here, left)] += step
        precise[np.ix_(here, left)] = sd <= EXACT * spread[left]
    return rows, precise


def _given(
    known: Array, given: npt.NDArray[np.intp], left: npt.NDArray[np.intp], mean: Array, C: Array
) -> tuple[Array, Array]:
    """Return what is expected of the columns left, and a root of their covariance, given others."""
    slope = np.linalg.pinv(C[np.ix_(given, given)], rcond=1e-9, hermitian=True)
    slope = slope @ C[np.ix_(given, left)]
    scatter = C[np.ix_(left, left)] - C[np.ix_(left, given)] @ slope
    values, vectors = np.linalg.eigh((scatter + scatter.T) / 2)
    least = LEAST * max(float(np.diag(C)[left].mean()), np.finfo(float).tiny)
    root = vectors * np.sqrt(np.maximum(values, least))
    return mean[left] + (known - mean[given]) @ slope, np.asarray(root)


def _update(away: Array, root: Array, linear: Array) -> tuple[Array, Array]:
    """Return by how much to move a guess that leaves so much unexplained, and what is doubtful."""
    left, sizes, right = np.linalg.svd(root.T @ linear, full_matrices=True)
    n = len(sizes)
    gain = (right[:n].T * (sizes / (1 + sizes**2))) @ left[:, :n].T
    doubt = np.ones(len(left))
    doubt[:n] = 1 / (1 + sizes**2)
    sd = np.sqrt((((root @ left) ** 2) * doubt).sum(axis=1))
    return away @ gain @ root.T, sd
