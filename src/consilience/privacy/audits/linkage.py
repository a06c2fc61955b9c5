"""Linkage: whose row is this? Re-identification without rebuilding anything.

An attacker with a list of candidates, such as a register that holds the same columns, asks which
candidate a contributed row belongs to. That tells who takes part, their cluster, and every column
that others contributed about them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from consilience.privacy.audits.regression import fit_affine
from consilience.privacy.audits.scores import top1

__all__ = ["fill_candidates", "link_by_order", "link_by_representation"]

Array = npt.NDArray[np.float64]

RIDGE = 1e-6


def link_by_representation(
    anchor: Array,
    anchor_representation: Array,
    representation: Array,
    candidates: Array,
    uncertainty: Array | None = None,
) -> float:
    """Send the candidates through the estimated map f and take the nearest contributed row.

    Parameters
    ----------
    anchor, anchor_representation
        What a colluding party and the analyst hold; they determine f if there are more anchor
        rows than columns.
    representation : ndarray of shape (n_rows, n_components)
        What the victim sent.
    candidates : ndarray of shape (n_rows, n_features)
        What the attacker's list says of the same people, in the same order; it may be inexact.
    uncertainty : ndarray of shape (n_features, n_features), optional
        Covariance of the error of the list; directions the list says little of count less.

    Returns
    -------
    float
        Share of candidates linked to their own contributed row; 1 / n_rows is chance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, X, F = rng.normal(size=(9, 3)), rng.normal(size=(20, 3)), rng.normal(size=(3, 1))
    >>> link_by_representation(A, A @ F, X @ F, X)
    1.0
    """
    f = fit_affine(anchor, anchor_representation)
    spread = np.atleast_2d(np.cov(representation.T))
    if uncertainty is not None:
        spread = f.linear.T @ uncertainty @ f.linear
    values, vectors = eigh(
        spread + RIDGE * max(float(np.trace(spread)), 1e-300) * np.eye(len(spread))
    )
    whiten = vectors / np.sqrt(values)
    return top1(representation @ whiten, f.apply(candidates) @ whiten)


def fill_candidates(
    candidates: Array, known: npt.NDArray[np.intp], like: Array
) -> tuple[Array, Array]:
    """Complete a list that holds some of the columns, by rows of other people like them.

    Parameters
    ----------
    candidates : ndarray of shape (n_rows, n_features)
        Only the columns ``known`` are read.
    known : ndarray of shape (n_known,), int
        Places of the columns the list holds.
    like : ndarray of shape (n_like, n_features)
        Complete rows of other people.

    Returns
    -------
    filled : ndarray of shape (n_rows, n_features)
    uncertainty : ndarray of shape (n_features, n_features)
        Covariance of the error of what was filled in.

    Examples
    --------
    >>> like = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    >>> fill_candidates(np.array([[5.0, 0.0]]), np.array([0]), like)[0]
    array([[ 5., 50.]])
    """
    fill = fit_affine(like[:, known], like)
    error = like - fill.apply(like[:, known])
    filled = fill.apply(candidates[:, known])
    filled[:, known] = candidates[:, known]
    return filled, np.asarray(error.T @ error / max(1, len(like) - len(known) - 1))


def link_by_order(sent: npt.NDArray[Any], known: npt.NDArray[Any]) -> float:
    """Link rows by their place alone: the k-th row sent is the k-th of a list the attacker knows.

    Parameters
    ----------
    sent : ndarray of shape (n_rows,)
        Who stands in each place of the contribution.
    known : ndarray of shape (n_rows,)
        Who stands in each place of a list in an order others can know: by admission, by name, or
        by a pseudonym they can compute.

    Returns
    -------
    float
        Share of rows linked; about 1 / n_rows if the order of the contribution is random.

    Examples
    --------
    >>> link_by_order(np.array([3, 1, 2]), np.array([3, 2, 1]))
    0.3333333333333333
    """
    return float((sent == known).mean())
