"""Possible rows: what rounding, categories and bounds leave of all the numbers there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["PossibleRows"]

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MOST_DECIMALS = 8
EXACT = 1e-6
FINE = 2.0**-24
"""Step of a column that is not rounded, as a share of the width of its bounds."""
ENOUGH = 8
"""So many different values show a step that is no power of ten, such as 0.5."""


@dataclass(frozen=True, eq=False)
class PossibleRows:
    """The rows a table may hold: each column a number of steps from an origin, within bounds.

    Parameters
    ----------
    origin, step, lower, upper : ndarray of shape (n_features,)
        A column whose bounds are equal is known.
    groups : tuple of tuple of int
        Places of the columns that are the categories of one variable: one is 1, the others are 0.

    Examples
    --------
    Two categories are one number, the second what the first leaves:

    >>> possible = PossibleRows.between(np.zeros(3), np.array([9.0, 1, 1]), groups=[(1, 2)])
    >>> possible.rows(np.array([[4, 0], [5, 1]]))
    array([[4., 0., 1.],
           [5., 1., 0.]])
    """

    origin: Array
    step: Array
    lower: Array
    upper: Array
    groups: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def between(
        cls,
        lower: Array,
        upper: Array,
        step: Array | None = None,
        groups: Sequence[Sequence[int]] = (),
    ) -> PossibleRows:
        """Count steps from the lower bounds; without any, take the last decimal of the bounds.

        Examples
        --------
        >>> PossibleRows.between(np.array([0.0, 3.5]), np.array([120.0, 9.75])).step
        array([1.  , 0.01])
        """
        if step is None:
            width = upper - lower
            ends = np.stack([lower, upper], axis=1)
            step = np.array([_decimal_step(e, w) for e, w in zip(ends, width, strict=True)])
        return cls(lower, step, lower, upper, tuple(tuple(g) for g in groups))

    @classmethod
    def seen_in(
        cls, rows: Array, lower: Array, upper: Array, groups: Sequence[Sequence[int]] = ()
    ) -> PossibleRows:
        """Take the step of each column from rows that are known, and the bounds from the study.

        Examples
        --------
        >>> rows = np.array([[1.5, 36.6], [3.0, 37.2], [2.0, 40.1]])
        >>> PossibleRows.seen_in(rows, np.zeros(2), np.array([9.0, 45.0])).step
        array([0.1, 0.1])
        """
        step = [_step(column, w) for column, w in zip(rows.T, upper - lower, strict=True)]
        return cls(rows[0], np.array(step), lower, upper, tuple(tuple(g) for g in groups))

    @cached_property
    def _counted(self) -> tuple[Array, list[int], Integers]:
        """The row from which others are counted, the free columns, and what their counts move."""
        varied = self.upper - self.lower >= 0.5 * self.step
        start = np.where(varied, self.origin, self.lower)
        grouped = {j for group in self.groups for j in group}
        free = [int(j) for j in np.flatnonzero(varied) if j not in grouped]
        instead = [-1] * len(free)
        for group in self.groups:
            live = [j for j in group if varied[j]]
            start[list(group)] = self.lower[list(group)]
            if live:
                # The last category is what the others leave.
                start[live[-1]] = 1.0
                free += live[:-1]
                instead += [live[-1]] * (len(live) - 1)
        moves = np.zeros((len(free), len(self.step)), dtype=np.int64)
        moves[np.arange(len(free)), free] = 1
        last = np.array(instead, dtype=np.intp)
        moves[last >= 0, last[last >= 0]] = -1
        return start, free, moves

    @property
    def start(self) -> Array:
        """The row from which others are counted, of shape (n_features,)."""
        return self._counted[0]

    @property
    def free(self) -> list[int]:
        """The columns that determine a row."""
        return self._counted[1]

    @property
    def moves(self) -> Integers:
        """Steps by which each count moves each column, of shape (n_free, n_features)."""
        return self._counted[2]

    @property
    def moments(self) -> tuple[Array, Array]:
        """Mean and covariance of rows if nothing is known but what is possible."""
        mean = (self.lower + self.upper) / 2
        covariance = np.diag((self.upper - self.lower + self.step) ** 2 / 12)
        for group in self.groups:
            share = np.full(len(group), 1.0 / len(group))
            mean[list(group)] = share
            covariance[np.ix_(group, group)] = np.diag(share) - np.outer(share, share)
        return mean, covariance

    def rows(self, counts: Integers) -> Array:
        """Return the rows with given counts, of shape (..., n_free)."""
        return np.asarray(self.start + (counts @ self.moves) * self.step)

    def allowed(self, counts: Integers) -> npt.NDArray[np.bool_]:
        """Tell which counts give rows within the bounds."""
        rows, slack = self.rows(counts), EXACT * self.step
        within = (rows >= self.lower - slack) & (rows <= self.upper + slack)
        return np.asarray(within.all(axis=-1))

    def same(self, rows: Array, others: Array) -> npt.NDArray[np.bool_]:
        """Tell cell by cell where two rows are the same possible one."""
        return np.asarray(np.abs(rows - others) < 0.5 * self.step)


def _step(column: Array, width: float) -> float:
    """Return the largest step that leads from any value of a column to any other."""
    decimal = _decimal_step(column, width)
    values = np.unique(column)
    if len(values) < ENOUGH:
        return decimal
    counts = np.rint((values - values[0]) / decimal).astype(np.int64)
    # Values closer than a fine step are one.
    return decimal * max(1, int(np.gcd.reduce(counts)))


def _decimal_step(values: Array, width: float) -> float:
    """Return the power of ten of the last decimal, or a fine step if there are too many."""
    for decimals in range(MOST_DECIMALS):
        shifted = values * 10.0**decimals
        if np.abs(shifted - np.rint(shifted)).max() <= EXACT:
            return float(10.0**-decimals)
    return (width or 1.0) * FINE
