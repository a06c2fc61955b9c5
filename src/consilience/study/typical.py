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
        Empty where there are fewer than 20 rows, or all are alike: nothing is known then.

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
    lower, upper = float(values.min()), float(values.max())
    # Rounded, the median of many equal values may lie beyond all of them.
    center = min(max(round(float(values.median()), digits), lower), upper)
    # Of 1.4 one figure would leave 1: a first figure of 1 says too little.
    leading = int(f"{spread:e}"[0])
    return {"center": center, "spread": round(spread, digits + (leading == 1))}
