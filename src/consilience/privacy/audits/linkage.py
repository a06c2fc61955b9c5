"""Linkage: whose row is this? Re-identification without rebuilding anything.

An attacker with a list of candidates, such as a register that holds the same columns, asks which
candidate a contributed row belongs to. That tells who takes part, their cluster, and every column
that others contributed about them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.privacy.audits.regression import fit_affine
from consilience.privacy.audits.scores import top1

__all__ = ["link_by_order", "link_by_representation"]

Array = npt.NDArray[np.float64]


def link_by_representation(
    anchor: Array, anchor_representation: Array, representation: Array, candidates: Array
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
    scale = representation.std(axis=0)
    scale[scale == 0] = 1.0
    return top1(representation / scale, f.apply(candidates) / scale)


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
