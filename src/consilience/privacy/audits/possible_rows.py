"""Possible rows: what rounding, categories and bounds leave of all the numbers there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from consilience.privacy.audits.column_values import decimal_step, values_of

__all__ = ["PossibleRows"]

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]

EXACT = 1e-6
FINE = 2.0**-24
"""Step of a column whose bounds show none, as a share of their width."""
MAX_INSTEAD = 60
"""Single values beside steps, in all columns together: more take too long to search."""


@dataclass(frozen=True, eq=False)
class PossibleRows:
    """The rows a table may hold: each column a number of steps from an origin, within bounds.

    Parameters
    ----------
    origin, step, lower, upper : ndarray of shape (n_features,)
        A column whose bounds are equal is known; one without a step (0) holds its origin or what
        is said to be there instead, and any number if nothing is.
    groups : tuple of tuple of int
        Places of the columns that are the categories of one variable: one is 1, the others are 0.
    instead : tuple of (int, float, float)
        Single values beside the steps: the column, what is added to a value of the steps, and the
        share of the rows.

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
    instead: tuple[tuple[int, float, float], ...] = ()

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
            ends = np.stack([lower, upper], axis=1)
            fine = FINE * np.where(upper > lower, upper - lower, 1.0)
            step = np.array([decimal_step(e) or f for e, f in zip(ends, fine, strict=True)])
        return cls(lower, step, lower, upper, tuple(tuple(g) for g in groups))

    @classmethod
    def seen_in(
        cls,
        rows: Array,
        lower: Array,
        upper: Array,
        groups: Sequence[Sequence[int]] = (),
        no_exceptions: bool = False,
    ) -> PossibleRows:
        """Take the values of each column from rows that are known, and the bounds from the study.

        With `no_exceptions` the steps lead to every value that was seen.

        Examples
        --------
        >>> rows = np.array([[1.5, 36.6], [3.0, 37.2], [2.0, 40.1]])
        >>> PossibleRows.seen_in(rows, np.zeros(2), np.array([9.0, 45.0])).step
        array([0.1, 0.1])
        """
        grouped = {j for group in groups for j in group}
        middle = (lower + upper) / 2
        found = [
            values_of(column, mid, no_exceptions)
            for column, mid in zip(rows.T, middle, strict=True)
        ]
        beside = [
            (j, offset, share)
            for j, values in enumerate(found)
            if j not in grouped
            for offset, share in values.instead
        ]
        step = np.array([values.step for values in found])
        step[list(grouped)] = 1.0
        origin = np.array([values.origin for values in found])
        return cls(
            origin, step, lower, upper, tuple(tuple(g) for g in groups), _fewest(beside, step)
        )

    @cached_property
    def _counted(self) -> tuple[Array, Places, Array]:
        """The row from which others are counted, the column of each count, and what it moves."""
        varied = self.upper - self.lower >= 0.5 * self.step
        varied &= self.upper > self.lower
        start = np.where(varied, self.origin, self.lower)
        grouped = {j for group in self.groups for j in group}
        free = [int(j) for j in np.flatnonzero(varied & (self.step > 0)) if j not in grouped]
        last = [-1] * len(free)
        moved = [float(self.step[j]) for j in free]
        for group in self.groups:
            live = [j for j in group if varied[j]]
            start[list(group)] = self.lower[list(group)]
            if live:
                # The last category is what the others leave.
                start[live[-1]] = 1.0
                free += live[:-1]
                last += [live[-1]] * (len(live) - 1)
                moved += [1.0] * (len(live) - 1)
        beside = [(j, offset) for j, offset, _ in self.instead]
        free += [j for j, _ in beside]
        last += [-1] * len(beside)
        moved += [offset for _, offset in beside]
        moves = np.zeros((len(free), len(self.step)))
        moves[np.arange(len(free)), free] = moved
        places = np.array(last, dtype=np.intp)
        moves[places >= 0, places[places >= 0]] = -1.0
        return start, np.array(free, dtype=np.intp), moves

    @property
    def start(self) -> Array:
        """The row from which others are counted, of shape (n_features,)."""
        return self._counted[0]

    @property
    def free(self) -> Places:
        """The column of each count."""
        return self._counted[1]

    @property
    def moves(self) -> Array:
        """By how much each count moves each column, of shape (n_counts, n_features)."""
        return self._counted[2]

    @cached_property
    def loose(self) -> Places:
        """The columns that may hold any number."""
        counted = np.zeros(len(self.step), dtype=bool)
        counted[self.free] = True
        for group in self.groups:
            counted[list(group)] = True
        return np.flatnonzero(~counted & (self.step == 0) & (self.upper > self.lower))

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

    def count_moments(self, mean: Array, covariance: Array) -> tuple[Array, Array]:
        """Return mean and covariance of the counts of rows with given ones.

        Parameters
        ----------
        mean : ndarray of shape (n_features,)
        covariance : ndarray of shape (n_features, n_features)
        """
        n_steps = len(self.free) - len(self.instead)
        free = self.free[:n_steps]
        unit = np.abs(self.moves[np.arange(n_steps), free])
        centre = np.zeros(len(self.free))
        centre[:n_steps] = (mean[free] - self.start[free]) / unit
        spread = np.zeros((len(self.free), len(self.free)))
        spread[:n_steps, :n_steps] = covariance[np.ix_(free, free)] / np.outer(unit, unit)
        columns, shares = self.free[n_steps:], np.array([share for *_, share in self.instead])
        centre[n_steps:] = shares
        same = columns[:, None] == columns
        spread[n_steps:, n_steps:] = np.diag(shares) - same * np.outer(shares, shares)
        return centre, spread

    def rows(self, counts: Integers) -> Array:
        """Return the rows with given counts, of shape (..., n_counts)."""
        return np.asarray(self.start + counts @ self.moves)

    def allowed(self, counts: Integers) -> npt.NDArray[np.bool_]:
        """Tell which counts give rows within the bounds."""
        slack = EXACT * np.where(self.step > 0, self.step, self.upper - self.lower)
        rows = self.rows(counts)
        within = ((rows >= self.lower - slack) & (rows <= self.upper + slack)).all(axis=-1)
        n_steps = len(self.free) - len(self.instead)
        beside = counts[..., n_steps:]
        once = ((beside == 0) | (beside == 1)).all(axis=-1)
        for column in np.unique(self.free[n_steps:]):
            once &= beside[..., self.free[n_steps:] == column].sum(axis=-1) <= 1
        return np.asarray(within & once)


def _fewest(
    beside: list[tuple[int, float, float]], step: Array
) -> tuple[tuple[int, float, float], ...]:
    """Keep the columns with the fewest values beside their steps, as many as can be searched."""
    columns = [j for j, *_ in beside]
    kept: list[int] = []
    total = 0
    for j in sorted(set(columns), key=lambda j: (step[j] == 0, columns.count(j), j)):
        total += columns.count(j)
        if total <= MAX_INSTEAD:
            kept.append(j)
    return tuple(value for value in beside if value[0] in kept)
