"""What the estimators of summaries are told, checked and brought into one form."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from consilience.summaries.units import Units

__all__ = ["check_min_rows", "make_units"]

DEFAULT_BOUNDS = (-4.0, 4.0)


def check_min_rows(min_rows: Any, epsilon: float | None, without_noise: int) -> int | None:
    """Return the fewest rows behind a centre; where there is no noise there must be one."""
    if min_rows is not None:
        return int(check_scalar(min_rows, "min_rows", Integral, min_val=1))
    return without_noise if epsilon is None else None


def make_units(bounds: Any, spreads: Any, n_features: int) -> Units:
    """Return the units in which features are summarised; nothing is read from rows.

    Parameters
    ----------
    bounds : pair of array-like of shape (n_features,), or None
        None is [-4, 4]: features that were standardised by public figures.
    spreads : array-like of shape (n_features,), or None
    n_features : int

    Examples
    --------
    >>> make_units((0.0, [1.0, 10.0]), None, 2).spreads
    array([ 1., 10.])
    """
    given = DEFAULT_BOUNDS if bounds is None else bounds
    lower, upper = (np.array(np.broadcast_to(b, n_features), dtype=np.float64) for b in given)
    wrong = np.flatnonzero(~(np.isfinite(lower) & np.isfinite(upper) & (lower < upper)))
    if len(wrong):
        j, more = wrong[0], f" (of {len(wrong)} such features)" if len(wrong) > 1 else ""
        raise ValueError(
            f"the bounds of feature {j} are {lower[j]} and {upper[j]}{more}, must be finite, the "
            f"lower less than the upper: noise cannot hide a value without limits. Leave out a "
            f"feature that cannot vary."
        )
    widths = upper - lower if spreads is None else np.asarray(spreads, dtype=float)
    if widths.shape != (n_features,) or not (widths > 0).all():
        raise ValueError(
            f"spreads has shape {widths.shape}, must be {n_features} numbers > 0: what "
            f"difference in each feature counts as 1."
        )
    return Units(lower, upper, widths)
