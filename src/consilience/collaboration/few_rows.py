r"""Institutions with no more rows than coordinates, as tables of genes have them.

What :mod:`~consilience.collaboration.population` expects of a dropped direction follows from the
others' rows. Of an institution that sends at least as many coordinates as it has rows this would be
a mistake: its leading directions hold its rows whole, so that in what it dropped they do not differ
at all. Only where their mean lies in there is unknown. So their mean is expected,
and each row stands from it where it was seen, :math:`H_i (H_i^T H_i)^{-1} (x - m_i)`.

Such rows span few of their coordinates, and cost should follow the rows: each institution is looked
at along the directions that the rows of any institution have in its coordinates, and no others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.collaboration.sights import Sight

__all__ = ["directions_of_rows", "means_of_few"]

Array = npt.NDArray[np.float64]


def means_of_few(sights: Sequence[Sight]) -> dict[int, Array]:
    """Return the mean row of each institution that has no more rows than coordinates.

    Parameters
    ----------
    sights : sequence of Sight
        An institution of which some row was sent in part is none of them.

    Examples
    --------
    >>> from consilience.collaboration.sights import look
    >>> sights = look(0, [np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])]) + look(1, [np.eye(4, 2)])
    >>> means_of_few(sights)
    {0: array([2., 2., 2.])}
    """
    in_part = {sight.institution for sight in sights if not sight.known.all()}
    return {
        sight.institution: sight.mean
        for sight in sights
        if sight.institution not in in_part and sight.n_rows <= len(sight.known)
    }


def directions_of_rows(
    anchors: Sequence[Array],
    middles: Sequence[Array],
    units: Sequence[Array],
    sights: Sequence[Sight],
) -> list[Array]:
    """Return a basis of the coordinates of each institution, or of what rows span of them.

    Parameters
    ----------
    anchors : sequence of ndarray of shape (n_anchor, n_components_i)
        What each institution sees of the anchor, about its mean and in units.
    middles, units : sequence of ndarray of shape (n_components_i,)
        That mean, and those units.
    sights : sequence of Sight

    Returns
    -------
    list of ndarray of shape (n_components_i, n_directions_i)
        Orthonormal; all directions, unless rows of all institutions are fewer than coordinates of
        this one.

    Examples
    --------
    >>> from consilience.collaboration.sights import look
    >>> A, zero, one = np.random.default_rng(0).normal(size=(50, 9)), np.zeros(9), np.ones(9)
    >>> sights = look(0, [np.eye(2, 9)]) + look(1, [np.eye(3, 9)])
    >>> [B.shape for B in directions_of_rows([A, A], [zero, zero], [one, one], sights)]
    [(9, 7), (9, 7)]
    """
    n_directions = sum(sight.n_rows + 1 for sight in sights)
    whole = all(sight.known.all() for sight in sights)
    if not whole or all(n_directions >= len(middle) for middle in middles):
        return [np.eye(len(middle)) for middle in middles]
    own = [_spanned(i, middles[i], units[i], sights) for i in range(len(anchors))]
    seen = [C @ Q for C, Q in zip(anchors, own, strict=True)]
    return [
        np.linalg.qr(np.hstack([own[i], *(C.T @ A for j, A in enumerate(seen) if j != i)]))[0]
        if n_directions < C.shape[1]
        else np.eye(C.shape[1])
        for i, C in enumerate(anchors)
    ]


def _spanned(institution: int, middle: Array, unit: Array, sights: Sequence[Sight]) -> Array:
    """Return a basis of what the rows of an institution and their mean span."""
    found = [np.empty((len(middle), 0))]
    for sight in sights:
        if sight.institution == institution:
            # A product with as many random columns as rows spans what the rows span.
            draws = np.random.default_rng(0).normal(size=(len(middle), sight.n_rows))
            found += [(sight.mean - middle)[:, None], sight.covariance @ draws]
    return np.asarray(np.linalg.qr(np.hstack(found) / unit[:, None])[0])
