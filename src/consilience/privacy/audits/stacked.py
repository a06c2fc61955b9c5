"""The stack of everything that left: two contributions of one party tell more than either.

A party that fits its reduction anew keeps slightly other directions every time. Side by side, what
it sent of a row at two times has twice the dimensions, and soon as many as the row has columns:
then the anchor inverts it, however few dimensions each contribution kept. The pseudonyms say which
rows belong together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.privacy.audits.collusion import invert, invert_with_prior

__all__ = ["common_rows", "rebuild_from_stack", "stack_rank"]

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

TOLERANCE = 1e-9
"""Directions along which the anchor spreads less than this share of the most say nothing."""


def common_rows(pseudonyms: Sequence[npt.NDArray[np.uint8]]) -> list[Places]:
    """Return where the rows that are in every contribution stand in each, in one order.

    Parameters
    ----------
    pseudonyms : sequence of ndarray of shape (n_rows_i, n_bytes), uint8
        One per contribution; within one, no two are alike.

    Examples
    --------
    >>> earlier, later = np.array([[7], [8], [9]], np.uint8), np.array([[9], [5], [7]], np.uint8)
    >>> [places.tolist() for places in common_rows([earlier, later])]
    [[0, 2], [2, 0]]
    """
    names = [[row.tobytes() for row in part] for part in pseudonyms]
    shared = sorted(set(names[0]).intersection(*names[1:]))
    places = [{name: place for place, name in enumerate(part)} for part in names]
    return [np.array([where[name] for name in shared], dtype=np.intp) for where in places]


def stack_rank(anchor_representations: Sequence[Array]) -> int:
    """Return how many directions of the columns the contributions determine together.

    Parameters
    ----------
    anchor_representations : sequence of ndarray of shape (n_anchor, n_components_i)
        What each contribution sent of one anchor.

    Examples
    --------
    >>> A = np.random.default_rng(0).normal(size=(9, 4))
    >>> stack_rank([A[:, :2]]), stack_rank([A[:, :2], A[:, 1:3]])
    (2, 3)
    """
    stacked = np.hstack(anchor_representations)
    values = np.linalg.svd(stacked - stacked.mean(axis=0), compute_uv=False)
    return int((values > TOLERANCE * values[0]).sum())


def rebuild_from_stack(
    anchor: Array,
    anchor_representations: Sequence[Array],
    representations: Sequence[Array],
    like: Array | None = None,
) -> Array:
    """Rebuild rows by the anchor from all that was sent of them.

    Parameters
    ----------
    anchor : ndarray of shape (n_anchor, n_features)
        The one anchor of all contributions.
    anchor_representations : sequence of ndarray of shape (n_anchor, n_components_i)
    representations : sequence of ndarray of shape (n_rows, n_components_i)
        The rows that :func:`common_rows` finds in every contribution.
    like : ndarray of shape (n_like, n_features), optional
        Rows of the colluding party, which show what no reduction ever keeps: that categories add up
        to 1, and other relations that always hold.

    Returns
    -------
    ndarray of shape (n_rows, n_features)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, X = rng.normal(size=(9, 4)), rng.normal(size=(5, 4))
    >>> F, H = rng.normal(size=(2, 4, 2))
    >>> np.allclose(rebuild_from_stack(A, [A @ F, A @ H], [X @ F, X @ H]), X)
    True
    """
    sent = np.hstack(anchor_representations), np.hstack(representations)
    if like is None:
        return invert(anchor, *sent)
    return invert_with_prior(anchor, *sent, like.mean(axis=0), np.atleast_2d(np.cov(like.T)))
