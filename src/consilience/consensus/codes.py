"""Unanimous codes: rows stay together only where every label vector keeps them together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["relax", "unanimous"]

Labels = npt.NDArray[np.int64]
MANY = 32
"""Label vectors beyond these are compared all at once, for the rows that still share a code."""


def unanimous(labels: npt.NDArray[Any]) -> Labels:
    r"""Give rows one code if and only if every label vector keeps them together.

    With :math:`L \in \mathbb{N}^{n \times R}`, rows i and j get one code if and only if
    :math:`L_{ir} = L_{jr}` for all r (Phase 1, section 2.2 of [Belucci2026]_). The same
    rule makes a peer's labels from its repetitions and the consensus from the peers'
    labels.

    Parameters
    ----------
    labels : ndarray of shape (n_rows, n_vectors)
        One label vector per column; the numbers only name groups.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        Codes 0, 1, ... by first appearance, so that equal partitions get equal codes.

    Examples
    --------
    >>> unanimous(np.array([[7, 1], [7, 2], [3, 2], [7, 1]]))
    array([0, 1, 2, 0])
    """
    codes = np.zeros(len(labels), dtype=np.int64)
    for column in labels.T[:MANY]:
        codes = _refine(codes, column)
        if codes.max(initial=0) == len(codes) - 1:
            return codes
    if labels.shape[1] > MANY:
        shared = np.bincount(codes)[codes] > 1
        rest = np.ascontiguousarray(labels[shared, MANY:])
        rest += rest.dtype.type(0)  # makes one zero of two
        whole = np.zeros(len(labels), dtype=object)
        whole[shared] = [row.tobytes() for row in rest]
        codes = _refine(codes, whole)
    return codes


def _refine(codes: Labels, column: npt.NDArray[Any]) -> Labels:
    step = pd.factorize(column)[0].astype(np.int64)
    refined: Labels = pd.factorize(codes * (int(step.max(initial=0)) + 1) + step)[0]
    return refined.astype(np.int64)


def relax(labels: Labels, threshold: float = 0.8) -> Labels:
    r"""Drop repetitions that stand against the others (the * variants, appendix B.1).

    While some repetition r changes the code so much that
    :math:`\mathrm{ARI}(c, c_{-r}) < h`, where c is the code of all repetitions left and
    :math:`c_{-r}` that of all but r, the one with the lowest value goes.

    Parameters
    ----------
    labels : ndarray of shape (n_rows, n_repetitions), int64
    threshold : float, default=0.8
        h, in [0, 1]; the paper's search spaces fix it at 0.8.

    Returns
    -------
    ndarray of shape (n_rows, n_left), int64
        At least one column is left.

    Examples
    --------
    Three repetitions agree on two halves; the fourth splits them at random and goes.

    >>> halves = np.repeat([0, 1], 20)
    >>> odd = np.random.default_rng(0).integers(3, size=40)
    >>> relax(np.column_stack([halves, odd, halves, 1 - halves])).shape
    (40, 3)

    Notes
    -----
    The step is each peer's own and happens before anything is sent.
    """
    while labels.shape[1] > 1:
        code = unanimous(labels)
        agreement = [
            _nested_rand(code, unanimous(np.delete(labels, r, axis=1)))
            for r in range(labels.shape[1])
        ]
        odd = int(np.argmin(agreement))
        if agreement[odd] >= threshold:
            break
        labels = np.delete(labels, odd, axis=1)
    return labels


def _nested_rand(fine: Labels, coarse: Labels) -> float:
    """Return the adjusted Rand index of two partitions, the first of which refines the second.

    Pairs together in both are then the pairs together in the finer one, so that the sizes of the
    groups are all it takes.
    """
    both, wide = (float((n := np.bincount(codes)) @ (n - 1)) for codes in (fine, coarse))
    if both == wide:
        return 1.0
    chance = both * wide / (len(fine) * (len(fine) - 1))
    return (both - chance) / ((both + wide) / 2 - chance)
