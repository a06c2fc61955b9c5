r"""The values of a column, as somebody who has seen some of them expects the others.

Most columns of a table are counted in steps: whole numbers, tenths, pounds turned into kilograms,
numbers divided by their standard deviation. A few values may lie beside the steps, such as the one
put where an entry was missing; a column may hold nothing but a few values, such as logarithms of
small counts; or it may hold any number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["ColumnValues", "common_step", "decimal_step", "values_of"]

Array = npt.NDArray[np.float64]

MOST_DECIMALS = 8
EXACT = 1e-6
ENOUGH = 16
"""So many different values show a step that is no power of ten, such as 0.5."""
FINEST = 2.0**-22
"""A finer common measure of values, as a share of their range, says that there is none."""
FINEST_BINARY = 2.0**-32
"""The same of numbers in four bytes, which have it without a doubt."""
CLOSE = 1e-4
"""Values so close to whole numbers of steps, as a share of the step, are such."""
MOST_BESIDE = 0.25
"""Share of a column that may lie beside its steps."""
MUCH = 8.0
"""Steps so many times as large may have exceptions that are not known beforehand."""
MAX_INSTEAD = 3
MAX_LEVELS = 12


@dataclass(frozen=True)
class ColumnValues:
    """What a column may hold.

    Parameters
    ----------
    origin : float
        One of its values.
    step : float
        Between neighbouring values; 0 if it is not counted in steps.
    instead : tuple of (float, float)
        Single values in place of those, each by what is added to a value of the steps, and its
        share of the rows. Without steps and any of these, a column holds any number.
    """

    origin: float
    step: float
    instead: tuple[tuple[float, float], ...] = ()


def values_of(
    column: Array, filled: float | None = None, no_exceptions: bool = False
) -> ColumnValues:
    """Say what a column may hold, from some of its values.

    Parameters
    ----------
    column : ndarray of shape (n_rows,)
    filled : float, optional
        What the study puts where an entry is missing.
    no_exceptions : bool
        Whether steps must lead to every value: they are finer then, or there are none.

    Examples
    --------
    >>> round(values_of(np.arange(30) * 0.45359237).step, 8)
    0.45359237
    >>> ages = np.array([31.0, 47, 38, 62.5, 62.5, 70, 55, 41, 66, 29])
    >>> values_of(ages, filled=62.5)
    ColumnValues(origin=29.0, step=1.0, instead=((-0.5, 0.2),))
    >>> values_of(ages, no_exceptions=True).step
    0.1
    """
    values, counts = np.unique(column, return_counts=True)
    step = common_step(values)
    all_of_them = ColumnValues(float(values[0]), step)
    if no_exceptions:
        return all_of_them
    for trusted, coarser in ((values != filled, 1.5), (counts > 1, MUCH), (_short(values), MUCH)):
        found = _beside_steps(values, counts, trusted, filled)
        if found is not None and found.step > coarser * step:
            return found
    if step or len(values) > MAX_LEVELS or 2 * len(values) > len(column):
        return all_of_them
    most = int(counts.argmax())
    others = [k for k in range(len(values)) if k != most]
    instead = [(float(values[k] - values[most]), counts[k] / len(column)) for k in others]
    return ColumnValues(float(values[most]), 0.0, tuple(instead))


def common_step(values: Array) -> float:
    """Return the largest step that leads from any value to any other; 0 if there is none.

    Few values are believed to share no more than their decimals.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        All different, in rising order.
    """
    decimal = decimal_step(values)
    if not decimal:
        return _binary_step(values) or _common_measure(values - values[0])
    if len(values) < ENOUGH:
        return decimal
    whole = np.rint((values - values[0]) / decimal).astype(np.int64)
    return decimal * max(1, int(np.gcd.reduce(whole)))


def decimal_step(values: Array) -> float:
    """Return the power of ten of the last decimal of any value; 0 if there are too many."""
    for decimals in range(MOST_DECIMALS):
        shifted = values * 10.0**decimals
        if np.abs(shifted - np.rint(shifted)).max() <= EXACT:
            return float(10.0**-decimals)
    return 0.0


def _binary_step(values: Array) -> float:
    """Return the last binary digit of numbers kept in four bytes; 0 if they have more digits.

    Tables from instruments and from columns of files are often such: any number to the eye, but
    24 bits each.
    """
    short = values.astype(np.float32)
    if not np.isfinite(short).all() or (short != values).any():
        return 0.0
    step = float(np.spacing(np.abs(short[short != 0]).min(initial=np.inf)))
    return step if step >= FINEST_BINARY * (values[-1] - values[0]) else 0.0


def _common_measure(away: Array) -> float:
    """Return the largest number of which all are multiples, by Euclid's algorithm; or 0."""
    furthest = float(away.max())
    measure = 0.0
    for a in np.diff(away):
        b = measure
        while b > EXACT * FINEST * furthest:
            a, b = b, abs(a - b * np.rint(a / b))
        measure = float(a)
        if measure < FINEST * furthest:
            return 0.0
    whole = np.rint(away / measure)
    # All values together tell the measure to more digits than any two of them.
    measure = float((away @ whole) / (whole @ whole))
    return measure if np.abs(away - whole * measure).max() <= CLOSE * measure else 0.0


def _short(values: Array) -> npt.NDArray[np.bool_]:
    """Tell the values with no more decimals than most have."""
    for decimals in range(MOST_DECIMALS):
        shifted = values * 10.0**decimals
        short = np.abs(shifted - np.rint(shifted)) <= EXACT
        if short.mean() >= 1 - MOST_BESIDE:
            break
    return np.asarray(short)


def _beside_steps(
    values: Array,
    counts: npt.NDArray[np.intp],
    trusted: npt.NDArray[np.bool_],
    filled: float | None,
) -> ColumnValues | None:
    """Find the steps of the trusted values, if the others are few."""
    if trusted.sum() < 2:
        return None
    origin = float(values[trusted][0])
    step = common_step(values[trusted])
    if not step:
        return None
    whole = np.rint((values - origin) / step)
    beside = np.abs(values - origin - whole * step) > CLOSE * step
    share = counts / counts.sum()
    is_filled = values == filled
    if share[beside & ~is_filled].sum() > MOST_BESIDE:
        return None
    # A single odd value says nothing about others; one that comes again is to be expected.
    again = np.flatnonzero(beside & ((counts > 1) | is_filled))
    again = again[np.argsort(-counts[again], kind="stable")][:MAX_INSTEAD]
    offsets = values - origin - whole * step
    instead = tuple((float(offsets[k]), float(share[k])) for k in sorted(again))
    return ColumnValues(origin, step, instead)
