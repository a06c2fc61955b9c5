"""What numbers usually are, proposed from an example and rounded: a centre and a spread."""

from __future__ import annotations

import math

import pandas as pd

__all__ = ["MIN_ROWS", "propose_typical"]

MIN_ROWS = 20
"""Fewer rows do not tell what is usual; a draft then leaves it to the bounds."""


def propose_typical(values: pd.Series) -> dict[str, float]:
    """Propose the terms ``center`` and ``spread`` of a numeric column, one or two figures each.

    Parameters
    ----------
    values : Series of shape (n,)
        Numbers, none of them missing.

    Returns
    -------
    dict
        Empty where there are fewer than 20 rows, or all are alike: nothing is known then. Without a
        centre where the median cannot be told but exactly.

    Examples
    --------
    >>> propose_typical(pd.Series([31.2, 44.7, 58.1, 67.9] * 5))
    {'center': 50.0, 'spread': 14.0}
    """
    if len(values) < MIN_ROWS:
        return {}
    spread = float(values.std(ddof=0))
    if not 0 < spread < math.inf:
        return {}
    digits = -math.floor(math.log10(spread))
    # Of 1.4 one figure would leave 1: a first figure of 1 says too little.
    leading = int(f"{spread:e}"[0])
    return _center(values, digits) | {"spread": round(spread, digits + (leading == 1))}


def _center(values: pd.Series, digits: int) -> dict[str, float]:
    """Round the median as coarsely as leaves it among the values, to two figures at most.

    Beyond all values it would say nothing, and in more figures it would be one of them.
    """
    median = float(values.median())
    finest = 1 - math.floor(math.log10(abs(median))) if median else digits
    for places in range(digits, max(digits, finest) + 1):
        center = round(median, places)
        if float(values.min()) <= center <= float(values.max()):
            return {"center": center}
    return {}
