r"""Rows that some column did not send: the missing coordinates, estimated from the others.

For a row of which only the coordinates :math:`a` are known, the missing ones are the linear
prediction :math:`\mu_b + (a - \mu_a) B`, with :math:`B` fitted by least squares on the rows that
are complete, slightly regularised. It uses what the analyst has received and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from consilience.collaboration.sights import look

__all__ = ["Filling"]

Array = npt.NDArray[np.float64]

RIDGE = 1e-6
"""Added to the covariance, as a share of its mean diagonal."""


class Filling:
    """Replaces every NaN by its prediction.

    Parameters
    ----------
    parts : iterable of ndarray of shape (n_rows, n_columns)
        All rows, some at a time; at least one of them complete.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [3.0, np.nan]])
    >>> Filling([X]).apply(X).round(3)[-1]
    array([3., 6.])
    """

    def __init__(self, parts: Iterable[Array]) -> None:
        complete = [sight for sight in look(0, parts) if sight.known.all()]
        if not complete:
            raise ValueError("no row is complete: missing coordinates cannot be estimated.")
        self._mean, self._covariance = complete[0].mean, complete[0].covariance

    def apply(self, X: Array) -> Array:
        """Return a copy of rows without NaN; there are few patterns of missing columns."""
        missing, filled = np.isnan(X), X.copy()
        for pattern in np.unique(missing[missing.any(axis=1)], axis=0):
            rows = (missing == pattern).all(axis=1)
            known = ~pattern
            inside = self._covariance[np.ix_(known, known)]
            ridge = RIDGE * (np.trace(inside) / max(known.sum(), 1) or 1.0)
            B = np.linalg.solve(
                inside + ridge * np.eye(known.sum()), self._covariance[np.ix_(known, pattern)]
            )
            away = X[np.ix_(rows, known)] - self._mean[known]
            filled[np.ix_(rows, pattern)] = self._mean[pattern] + away @ B
        return filled
