r"""The forward map: what a victim sends of a row, learnt from rows somebody knows.

The inverse of a map that drops dimensions can only be guessed. The map itself is affine,
:math:`z = x F + b`, and m + 1 rows of m columns determine it to the last digit: rows of the anchor,
or rows of the victim learnt elsewhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.privacy.audits.regression import TOLERANCE, AffineMap, fit_affine

__all__ = ["ForwardMap", "learn_forward_map"]

Array = npt.NDArray[np.float64]

DIGITS = 2.0**-50
"""Rounding error of a sum of products in double precision, as a share of its terms."""


class ForwardMap(AffineMap):
    """An affine map, and how far it is off.

    Parameters
    ----------
    linear : ndarray of shape (n_features, n_components)
    offset : ndarray of shape (n_components,)
    noise : ndarray of shape (n_components,)
        Standard deviation of what the map does not explain of a coordinate.
    learnt_from : ndarray of shape (n_known, n_features), optional
        Rows it was learnt from; None is a map known exactly.
    """

    def __init__(
        self, linear: Array, offset: Array, noise: Array, learnt_from: Array | None = None
    ) -> None:
        super().__init__(linear, offset)
        self.noise, self._learnt_from = noise, learnt_from

    def accuracy(self, mean: Array, covariance: Array) -> Array:
        """Return the standard deviation of a coordinate from what the map says of it.

        Far from the rows it was learnt from a map is less accurate than its noise.

        Parameters
        ----------
        mean : ndarray of shape (n_features,)
        covariance : ndarray of shape (n_features, n_features)
            Where the rows in question lie.

        Examples
        --------
        >>> known = np.array([[0.0], [1.0], [2.0]])
        >>> f = ForwardMap(np.ones((1, 1)), np.zeros(1), np.ones(1), known)
        >>> near, far = (f.accuracy(np.array([x]), np.zeros((1, 1))) for x in (1.0, 11.0))
        >>> near.round(2), far.round(2)
        (array([1.15]), array([7.16]))
        """
        if self._learnt_from is None:
            return self.noise
        centre = self._learnt_from.mean(axis=0)
        scale = self._learnt_from.std(axis=0)
        scale[scale == 0] = 1.0
        _, values, vectors = np.linalg.svd(
            (self._learnt_from - centre) / scale, full_matrices=False
        )
        kept = values > TOLERANCE * values[0]
        away = (mean - centre) / scale
        square = covariance / np.outer(scale, scale) + np.outer(away, away)
        along = vectors[: len(values)][kept] / values[kept, None]
        leverage = float(((along @ square) * along).sum())
        return np.asarray(self.noise * np.sqrt(1 + 1 / len(self._learnt_from) + leverage))


def learn_forward_map(rows: Array, sent: Array, least_noise: Array | float = 0.0) -> ForwardMap:
    """Learn the map from rows and what was sent of them.

    Parameters
    ----------
    rows : ndarray of shape (n_known, n_features)
        More rows than columns that vary in them.
    sent : ndarray of shape (n_known, n_components)
    least_noise : ndarray of shape (n_components,) or float
        Standard deviation of what is known to disturb a coordinate, such as the step it is rounded
        to over the root of 12. No more rows than the map has coefficients cannot tell it.

    Examples
    --------
    >>> f = learn_forward_map(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]]))
    >>> f.linear.round(6).item(), f.offset.round(6).item(), f.noise.item() < 1e-14
    (2.0, 1.0, True)
    """
    rank = int((np.ptp(rows, axis=0) > 0).sum())
    if len(rows) <= rank:
        raise ValueError(
            f"{len(rows)} known rows, must be >= {rank + 1}: one more than the columns that vary "
            f"in them, or they determine no map."
        )
    f = fit_affine(rows, sent)
    terms = np.abs(rows) @ np.abs(f.linear) + np.abs(f.offset)
    noise = np.maximum(DIGITS * terms.max(axis=0), least_noise)
    if len(rows) > rank + 1:
        left = sent - f.apply(rows)
        noise = np.maximum(noise, np.sqrt((left**2).sum(axis=0) / (len(rows) - rank - 1)))
    return ForwardMap(f.linear, f.offset, noise, rows)
