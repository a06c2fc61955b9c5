"""The units in which rows are summarised, compared and clustered, the same for everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.metrics import pairwise_distances_argmin

from consilience.study.schema import REACH
from consilience.study.study import Study
from consilience.summaries.terms import Summaries

__all__ = ["Units", "units_of"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Units:
    """Public bounds of every column, and what difference in it counts as 1.

    Parameters
    ----------
    lower, upper, spreads : ndarray of shape (n_features,)

    Examples
    --------
    >>> units = Units(np.array([0.0]), np.array([10.0]), np.array([5.0]))
    >>> units.scale(np.array([[0.0], [7.5], [99.0]])).ravel(), units.radius
    (array([-1. ,  0.5,  1. ]), 1.0)
    """

    lower: Array
    upper: Array
    spreads: Array

    @property
    def radius(self) -> float:
        """How far a row can lie from the middle of the bounds."""
        return float(np.linalg.norm((self.upper - self.lower) / (2 * self.spreads)))

    def scale(self, X: Array) -> Array:
        """Clip rows to the bounds and bring them to the units, with the middle at 0."""
        Z: Array = np.clip(X, self.lower, self.upper)
        Z -= (self.lower + self.upper) / 2  # in place: a table of many rows is copied once
        Z /= self.spreads
        return Z

    def unscale(self, Z: Array) -> Array:
        """Return to the encoded columns, within the bounds."""
        X = (self.lower + self.upper) / 2 + Z * self.spreads
        return np.asarray(np.clip(X, self.lower, self.upper))

    def nearest(self, X: Array, centers: Array) -> npt.NDArray[np.int64]:
        """Return which of the centres lies nearest to each row, both in the encoded columns."""
        found = pairwise_distances_argmin(self.scale(X), self.scale(centers))
        return np.asarray(found, dtype=np.int64)


def units_of(study: Study) -> Units:
    """Return the units that a study of summaries agreed on."""
    [column] = study.grid.columns
    schema, terms = study.schema_of(column), study.of(Summaries).summaries
    (lower, upper), stated = schema.bounds, terms.spreads
    if terms.scaling == "spread":
        low, high = schema.ranges
        return Units(np.maximum(lower, low), np.minimum(upper, high), (high - low) / (2 * REACH))
    widths = zip(schema.feature_names, upper - lower, strict=True)
    return Units(lower, upper, np.array([stated.get(name, width) for name, width in widths]))
