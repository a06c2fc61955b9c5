r"""What leaves is rounded: coordinates as whole numbers of steps.

Columns of real tables are rounded or categorical, so that possible rows are points of a lattice,
and coordinates in double precision have room for all of a row in a few of them. Rounded to a step
that is a share :math:`\rho` of its spread, a coordinate says at most about
:math:`\log_2 (\sqrt{2 \pi e} / \rho)` bits of a row, whatever the units and the bounds; the loss is
:math:`\rho^2 / 12` of its variance.

The same row gives the same numbers every time, so that nothing is learnt by asking again. Steps are
powers of two, which neither tell more of the rows than their scale nor bring in any error of
floating point. What can be said of a row *nearly*, such as by regression, stays what it was.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.collaboration.reduction import Reduction

__all__ = ["DEFAULT_ROUNDING", "RoundedReduction", "choose_steps", "steps_of", "to_steps"]

Array = npt.NDArray[np.float64]
Steps = npt.NDArray[np.int16 | np.int32]

DEFAULT_ROUNDING = 2.0**-6
"""Share of the spread to which estimators round; drafts of studies say 1/16."""
LEAST_SPREAD = 2.0**-10
MAX_POWER = 199


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
    spread = np.maximum(representation.std(axis=0), LEAST_SPREAD * anchor.std(axis=0))
    spread = np.where(spread > 0, spread, 1.0)
    return np.asarray(2.0 ** np.clip(np.rint(np.log2(share * spread)), -MAX_POWER, MAX_POWER))


def to_steps(Z: Array, steps: Array) -> Steps:
    """Return coordinates as whole numbers of steps, in two bytes each if they fit.

    Examples
    --------
    >>> to_steps(np.array([[0.24, -0.76]]), np.array([0.25, 0.5]))
    array([[ 1, -2]], dtype=int16)
    """
    whole = np.rint(Z / steps)
    furthest = float(np.abs(whole).max(initial=0.0))
    if furthest <= np.iinfo(np.int16).max:
        return whole.astype(np.int16)
    if furthest <= np.iinfo(np.int32).max:
        return whole.astype(np.int32)
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
