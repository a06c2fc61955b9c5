"""Bounds that are rounded outward, so that they show no single value."""

from __future__ import annotations

import math

__all__ = ["outward"]


def outward(lower: float, upper: float) -> tuple[float, float]:
    """Widen an interval to round numbers, about one digit coarse.

    Examples
    --------
    >>> outward(23, 61), outward(5, 5), outward(-0.031, 0.004)
    ((20.0, 70.0), (5.0, 6.0), (-0.04, 0.01))
    """
    largest = max(abs(lower), abs(upper))
    # Of a constant, or nearly so, the unit follows the size.
    size = upper - lower if upper - lower > 1e-12 * largest else largest
    unit = 10.0 ** math.floor(math.log10(size)) if size > 1e-300 else 1.0
    low, high = math.floor(lower / unit) * unit, math.ceil(upper / unit) * unit
    digits = max(0, -math.floor(math.log10(unit)))
    low, high = round(low, digits), round(high, digits)
    # Rounding may have gone inward by a last bit.
    low, high = min(low, lower), max(high, upper)
    return low, high if high > low else low + unit
