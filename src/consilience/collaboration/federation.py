"""A whole grid of roles inside one process: what the estimators drive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from consilience.collaboration.anchors.keyed import SPREAD, default_n_anchor, draw_anchor
from consilience.collaboration.anchors.lowrank import LowRank
from consilience.collaboration.anchors.public import check_public_rows
from consilience.collaboration.anchors.smote import Smote
from consilience.collaboration.gathering import Gathering
from consilience.collaboration.paging import take_part
from consilience.collaboration.party import Party
from consilience.holdings import Holdings, row_groups
from consilience.messages import Message, Query
from consilience.study.keys import KEY_BYTES
from consilience.transports import deliver

__all__ = [
    "Federation",
    "choose_seed",
    "components_per_group",
    "draw_grid_anchor",
    "public_ranges",
]

Array = npt.NDArray[np.float64]
Bounds = tuple[Array, Array]
PartyType = TypeVar("PartyType", bound=Party)
AnalystType = TypeVar("AnalystType", bound=Gathering)


class Federation(Generic[PartyType, AnalystType]):
    """The parties of a grid and their analyst, exchanging real messages.

    Parameters
    ----------
    grid : Holdings
    parties : dict of str to Party
        By their name in the grid.
    analyst : Gathering
    """

    def __init__(self, grid: Holdings, parties: dict[str, PartyType], analyst: AnalystType) -> None:
        self.grid, self.parties, self.analyst = grid, parties, analyst

    def contribute(self, X: Array, y: npt.NDArray[Any] | None = None) -> None:
        """Let every party contribute its part of the table, and the analyst answer."""

        def contributions() -> Iterator[Message]:
            for name, i, j in self.grid.cells():
                rows = self.grid.rows[i]
                part = take_part(X, rows, self.grid.columns[j])
                messages = self.parties[name].begin(part, y=None if y is None else y[rows])
                del part
                while messages:
                    yield messages.pop()

        self._deliver(contributions())

    def ask(self, X: Array, parties: Any) -> Holdings:
        """Let the parties ask about new rows; return who holds which of them.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,) or None
            Institutions of the fit; None is enough if there was only one.
        """
        grid = self.place(len(X), parties)
        queries = (
            query
            for name, i, j in grid.cells()
            if len(grid.rows[i])
            for query in self.parties[name].ask(take_part(X, grid.rows[i], grid.columns[j]))
        )
        self._deliver(queries)
        return grid

    def represent(self, X: Array, parties: Any) -> Array:
        """Return the collaboration representation of new rows, in the order of the table.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
        parties : array-like of shape (n_rows,) or None
            As for :meth:`ask`.
        """
        grid, found = self.place(len(X), parties), []
        for i, rows in enumerate(grid.rows):
            places = [(name, j) for name, at, j in grid.cells() if at == i and len(rows)]
            queries = [
                query
                for name, j in places
                for query in self.parties[name].ask(take_part(X, rows, grid.columns[j]))
                if isinstance(query, Query)
            ]
            if queries:
                found.append((rows, self.analyst.represent(queries)))
        represented = np.empty((len(X), found[0][1].shape[1]))
        for rows, Z in found:
            represented[rows] = Z
        return represented

    def place(self, n_rows: int, parties: Any) -> Holdings:
        """Return the grid of new rows: the roles keep their places, whoever has rows or not."""
        known = self.grid.names
        if parties is None and len(known) == 1:
            names, rows = known, [np.arange(n_rows)]
        elif parties is None:
            raise ValueError(
                f"parties is None, but the model was fitted with {len(known)} institutions. Name "
                f"the institution of each row."
            )
        else:
            names, rows = row_groups(parties, n_rows)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(f"parties names {unknown}, but the model was fitted with {known}.")
        place = {name: k for k, name in enumerate(names)}
        none = np.empty(0, dtype=np.intp)
        return Holdings(
            known, [rows[place[p]] if p in place else none for p in known], self.grid.columns
        )

    def collect(self, grid: Holdings) -> npt.NDArray[Any]:
        """Put together what the institutions were told, in the order of the table."""
        parts = [
            (grid.rows[i], self.parties[name].told)
            for name, i, j in grid.cells()
            if j == 0 and len(grid.rows[i])
        ]
        n_rows = sum(len(rows) for rows, _ in parts)
        first = parts[0][1]
        result = np.empty((n_rows, *first.shape[1:]), dtype=first.dtype)
        for rows, values in parts:
            result[rows] = values
        return result

    def _deliver(self, messages: Iterator[Message]) -> None:
        deliver(messages, {**self.parties, self.analyst.name: self.analyst})


def draw_grid_anchor(
    X: Array,
    grid: Holdings,
    anchor: Any,
    n_anchor: int | None,
    random_state: np.random.RandomState,
    ranges: Bounds,
) -> Array:
    """Draw the anchor of all columns as the parties of a grid would.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    grid : Holdings
    anchor : str, Smote, LowRank, callable or array of shape (n_anchor, n_features)
    n_anchor : int, optional
    random_state : numpy.random.RandomState
        For the keys.
    ranges : pair of ndarray of shape (n_features,)
        Between which it is drawn, see :func:`public_ranges`.
    """
    r = n_anchor or default_n_anchor(X.shape[1])
    if isinstance(anchor, Smote):
        public = check_anchor(anchor.rows(), X.shape[1], "public rows")
        for _, i, j in grid.cells():
            columns = grid.columns[j]
            check_public_rows(public[:, columns], take_part(X, grid.rows[i], columns))
        return anchor.draw(random_state.bytes(KEY_BYTES), r)
    rng = np.random.default_rng(random_state.randint(2**31)) if callable(anchor) else None
    if not isinstance(anchor, str | LowRank):
        made = anchor if rng is None else anchor(*ranges, r, rng)
        return check_anchor(made, X.shape[1], "anchor")
    drawn = np.empty((r, X.shape[1]))
    if isinstance(anchor, LowRank):
        blocks = [[take_part(X, rows, cols) for cols in grid.columns] for rows in grid.rows]
        rng = np.random.default_rng(random_state.randint(2**31))
        drawn[:, np.concatenate(grid.columns)] = anchor.draw(blocks, r, rng)
        return drawn
    for columns in grid.columns:
        low, high = ranges[0][columns], ranges[1][columns]
        key = random_state.bytes(KEY_BYTES)
        drawn[:, columns] = draw_anchor(anchor, key, low, high, r)
    return drawn


def public_ranges(
    X: Array, scaling: str, bounds: tuple[Any, Any] | None = None, spreads: Any = None
) -> Bounds:
    """Return the ranges by which columns are scaled and between which anchors are drawn.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    scaling : str
    bounds : pair of array-like of shape (n_features,), optional
        Public bounds; None takes the least and largest values of X in their place.
    spreads : array-like of shape (n_features,), optional
        Public spreads, for ``scaling="spread"``; None takes the standard deviations of X. The
        ranges are then two spreads to either side of the middle of the bounds or, where there
        are none, of the means of X.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [2.0, 5.0]])
    >>> public_ranges(X, "spread", spreads=[1.0, 3.0])
    (array([-1., -1.]), array([ 3., 11.]))
    """
    if scaling != "spread":
        if spreads is not None:
            raise ValueError(
                f"spreads say nothing with scaling == {scaling!r}, only with 'spread'."
            )
        return _check_bounds(bounds, X)
    middle = X.mean(axis=0) if bounds is None else np.mean(_check_bounds(bounds, X), axis=0)
    units = X.std(axis=0) if spreads is None else np.asarray(spreads, dtype=np.float64)
    if units.shape != (X.shape[1],) or (spreads is not None and not (units > 0).all()):
        raise ValueError(
            f"spreads has shape {units.shape}, must be {X.shape[1]} positive numbers, one for each "
            f"column."
        )
    reach = SPREAD / 2 * np.where(units > 0, units, 1.0)
    return middle - reach, middle + reach


def _check_bounds(bounds: tuple[Any, Any] | None, X: Array) -> Bounds:
    if bounds is None:
        return X.min(axis=0), X.max(axis=0)
    lower, upper = (np.asarray(b, dtype=np.float64) for b in bounds)
    if not lower.shape == upper.shape == (X.shape[1],) or not (lower <= upper).all():
        raise ValueError(
            f"bounds have shapes {lower.shape} and {upper.shape}, must be two arrays of "
            f"{X.shape[1]} numbers, the lower ones first."
        )
    return lower, upper


def check_anchor(anchor: Any, n_features: int, what: str) -> Array:
    """Return the user's array, or say what is wrong with it."""
    rows = np.asarray(anchor, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != n_features or not len(rows):
        raise ValueError(
            f"{what} has shape {rows.shape}, must be (n_anchor, {n_features}) with at least one "
            f"row: the columns of X."
        )
    if not np.isfinite(rows).all():
        raise ValueError(f"{what} has NaN or infinite values; every value must be finite.")
    return rows


def components_per_group(given: Any, n_groups: int) -> Sequence[int | None]:
    """Spread one number of dimensions over the column groups, or check one per group."""
    if given is None or isinstance(given, Integral):
        return [None if given is None else int(given)] * n_groups
    if isinstance(given, str):
        raise ValueError(
            f"n_components == {given!r}, must be a number, or one per column group. What a study "
            f"file calls 'half' is half of the columns of each."
        )
    if len(given) != n_groups:
        raise ValueError(
            f"n_components has {len(given)} entries, must be one number, or {n_groups}: one per "
            f"column group."
        )
    return list(given)


def choose_seed(random_state: Any) -> int:
    """Return the seed of the analyst's own draws: the user's number where there is one."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
