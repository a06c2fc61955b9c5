r"""What leaves is rounded: coordinates as whole numbers of steps.

Columns of real tables are rounded or categorical, so that possible rows are points of a lattice,
and coordinates in double precision have room for all of a row in a few of them. Rounded to a step
that is a share :math:`\rho` of its spread, a coordinate says at most about
:math:`\log_2 (\sqrt{2 \pi e} / \rho)` bits of a row, whatever the units and the bounds; the loss is
:math:`\rho^2 / 12` of its variance.

The same row gives the same numbers every time, so that nothing is learnt by asking again. Steps are
powers of two, which neither tell more of the rows than their scale nor bring in any error of
floating point. What can be said of a row *nearly*, such as by regression, stays what it was.

How coarse is coarse enough depends on how much a row holds: three numbers to four digits are 40
bits, nine categories may be 13. Rounded ``"auto"`` a party doubles its steps until what it sends of
a row has 10 bits less than the row, see :func:`~consilience.privacy.audits.decoding.spare_bits`,
and as many less than what the row holds beside columns in which values hardly come twice: a
thousand possible rows then fit what was sent. Of what holds less than 20 bits half is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.collaboration.moments import column_spreads, every, row_blocks
from consilience.collaboration.reduction import AffineReduction, Reduction
from consilience.fields import Coordinates
from consilience.mapped import Keep
from consilience.privacy.audits.decoding import spare_bits
from consilience.privacy.audits.exact_rows import expected_rows
from consilience.privacy.audits.forward_map import ForwardMap
from consilience.privacy.audits.possible_rows import PossibleRows
from consilience.privacy.audits.scores import AGAIN

__all__ = [
    "DEFAULT_ROUNDING",
    "RoundedReduction",
    "Rounding",
    "choose_steps",
    "hiding_share",
    "keep_rounded",
    "steps_for",
    "steps_of",
    "to_steps",
]

Array = npt.NDArray[np.float64]
Steps = npt.NDArray[np.int8 | np.int16 | np.int32]
KINDS = (np.int8, np.int16, np.int32)

Rounding = float | Literal["auto"]

DEFAULT_ROUNDING = 2.0**-6
"""Share of the spread to which estimators round; drafts of studies say ``"auto"``."""
FINEST, COARSEST = 2.0**-6, 1.0
"""Between these ``"auto"`` chooses."""
UNTOLD = 2.0**-4
"""Where rows are too few, or columns too many, to tell what a row holds."""
MISSING_BITS = 10.0
"""What is sent of a row has so many bits less than the row: a thousand rows fit it."""
MIN_ROWS, MAX_ROWS, MAX_COLUMNS = 20, 3_000, 400
LEAST_SPREAD = 2.0**-10
MAX_POWER = 199
CELLS = 2**18
"""So many cells are rounded at a time: what is in between stays in the cache."""


def choose_steps(representation: Array, anchor: Array, share: float) -> Array:
    """Choose the steps to which a party rounds: about a share of the spread of each coordinate.

    Parameters
    ----------
    representation : ndarray of shape (n_rows, n_components)
        What is to be sent of the rows, before it is rounded.
    anchor : ndarray of shape (n_anchor, n_components)
        The same of the anchor, which is rounded alike: a coordinate in which rows hardly differ
        counts as if they spread a thousandth as far as it.
    share : float
        Above 0.

    Returns
    -------
    ndarray of shape (n_components,)
        The powers of two nearest to this share of the standard deviations.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [8.0, 2.0]])                       # they spread 4 and 1
    >>> choose_steps(rows, rows, 1 / 64)
    array([0.0625  , 0.015625])
    """
    return _steps(representation.std(axis=0), anchor, share)


def _steps(spread: Array, anchor: Array, share: float) -> Array:
    spread = np.maximum(spread, LEAST_SPREAD * anchor.std(axis=0))
    spread = np.where(spread > 0, spread, 1.0)
    return np.asarray(2.0 ** np.clip(np.rint(np.log2(share * spread)), -MAX_POWER, MAX_POWER))


def hiding_share(X: Array, f: Reduction, groups: Sequence[Sequence[int]] = ()) -> float:
    """Return the finest share at which what is sent of a row holds less than the row.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Rows of the party.
    f : Reduction
        By which they leave; an affine one.
    groups : sequence of sequence of int
        Columns that are the categories of one variable: without them a row seems to hold more.

    Returns
    -------
    float
        A power of two between 1/64 and 1. The last may be too fine still.

    Examples
    --------
    Of four flags a single coordinate tells all, unless it is coarse; four long numbers are hidden
    by fine steps:

    >>> rng = np.random.default_rng(0)
    >>> f = AffineReduction(np.zeros(4), np.sqrt([[2.0], [3.0], [5.0], [7.0]]))
    >>> hiding_share(rng.integers(2, size=(500, 4)).astype(float), f)
    1.0
    >>> hiding_share(rng.integers(9999, size=(500, 4)).astype(float), f)
    0.015625
    """
    if not isinstance(f, AffineReduction):
        raise ValueError(
            f"rounding == 'auto' needs a reduction that is affine, but {type(f).__name__} is not. "
            f"State a share, such as 0.0625."
        )
    if len(X) < MIN_ROWS or X.shape[1] > MAX_COLUMNS:
        return UNTOLD
    X = every(X, -(-len(X) // MAX_ROWS))
    Z, offset = f.transform(X), -f.mean @ f.components
    possible = PossibleRows.seen_in(X, X.min(axis=0), X.max(axis=0), groups)
    moments, share = expected_rows(X), FINEST
    nothing = ForwardMap(f.components, offset, np.full(Z.shape[1], np.inf))
    aims = [
        (part, -min(MISSING_BITS, -spare_bits(nothing, part, *moments) / 2))
        for part in (possible, _without_finest(X, possible))
        if len(part.free)
    ]
    while share < COARSEST:
        sent = ForwardMap(f.components, offset, choose_steps(Z, Z, share) / np.sqrt(12))
        if all(spare_bits(sent, part, *moments) <= aim for part, aim in aims):
            break
        share *= 2
    return share


def _without_finest(X: Array, possible: PossibleRows) -> PossibleRows:
    """Return possible rows in which columns may hold any number whose values hardly come twice.

    A weight to seven digits holds more than all answers that come with it, and would hide that they
    are told.
    """
    grouped = {j for group in possible.groups for j in group}
    once = {
        j
        for j, column in enumerate(X.T)
        if j not in grouped and len(np.unique(column)) > AGAIN * len(X)
    }
    step = possible.step.copy()
    step[list(once)] = 0.0
    instead = tuple(one for one in possible.instead if one[0] not in once)
    return replace(possible, step=step, instead=instead)


def steps_for(
    X: Array,
    f: Reduction,
    anchor: Array,
    rounding: Rounding,
    groups: Sequence[Sequence[int]] = (),
) -> Array:
    """Choose the steps to which a party rounds what it sends of its rows.

    Parameters
    ----------
    X, f, groups
        As in :func:`hiding_share`.
    anchor : ndarray of shape (n_anchor, n_components)
        What is sent of the anchor.
    rounding : float or "auto"
        A share of the spread, or the finest one that hides rows.
    """
    share = hiding_share(X, f, groups) if rounding == "auto" else rounding
    spread = column_spreads(f.transform(block) for block in row_blocks(X))
    return _steps(spread, anchor, share)


def keep_rounded(X: Array, f: Reduction, steps: Array | None, keep: Keep) -> Coordinates:
    """Reduce and round rows block by block, and put them where they are to be kept.

    Parameters
    ----------
    X, f
        As in :func:`hiding_share`.
    steps : ndarray of shape (n_components,), optional
        As in :func:`to_steps`; without any, coordinates are kept as they are.
    keep : callable
    """
    if steps is None:
        return keep(len(X), (f.transform(block) for block in row_blocks(X)))

    for kind in map(np.dtype, KINDS[:-1]):
        try:
            return keep(len(X), _rounded(X, f, steps, kind))
        except OverflowError:
            continue
    return keep(len(X), _rounded(X, f, steps, np.dtype(KINDS[-1])))


def _rounded(X: Array, f: Reduction, steps: Array, kind: np.dtype[Any]) -> Iterator[Steps]:
    """Yield rounded rows in whole numbers of a kind; OverflowError if they are too short."""
    for block in row_blocks(X):
        rounded = to_steps(f.transform(block), steps)
        if rounded.itemsize > kind.itemsize:
            raise OverflowError
        yield rounded.astype(kind, copy=False)


def to_steps(Z: Array, steps: Array) -> Steps:
    """Return coordinates as whole numbers of steps, in as few bytes each as they fit into.

    Examples
    --------
    >>> to_steps(np.array([[0.24, -0.76]]), np.array([0.25, 0.5]))
    array([[ 1, -2]], dtype=int8)
    """
    if Z.size > CELLS and len(Z) > 1:
        size = max(1, CELLS // Z.shape[1])
        pieces = (Z[start : start + size] for start in range(0, len(Z), size))
        return np.concatenate([to_steps(piece, steps) for piece in pieces])
    whole = np.rint(Z / steps)
    furthest = float(np.abs(whole).max(initial=0.0))
    for kind in KINDS:
        if furthest <= np.iinfo(kind).max:
            return whole.astype(kind)
    raise ValueError(
        f"coordinates reach {furthest:.2g} steps, must be at most {np.iinfo(np.int32).max}: rows "
        f"lie far beyond the spread of those the steps were chosen by. Correct the table, or raise "
        f"the rounding of the study."
    )


@dataclass(frozen=True, eq=False)
class RoundedReduction:
    """A reduction and what is left of it on the way: the map by which rows leave."""

    reduction: Reduction
    steps: Array

    def transform(self, X: Array) -> Array:
        """Reduce rows and round."""
        return np.asarray(to_steps(self.reduction.transform(X), self.steps) * self.steps)


def steps_of(f: Reduction, n_components: int) -> Array:
    """Return the steps to which a map rounds; 0 if it does not."""
    return f.steps if isinstance(f, RoundedReduction) else np.zeros(n_components)
