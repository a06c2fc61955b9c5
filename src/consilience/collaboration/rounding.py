r"""What leaves is rounded: coordinates as whole numbers of steps.

Columns of real tables are rounded or categorical, so that possible rows are points of a lattice,
and coordinates in double precision have room for all of a row in a few of them. Rounded to a step
:math:`s` they say of a row at most about

.. math:: \sum_d \log_2 \frac{\sqrt{2 \pi e} \, \sigma_d}{s} \text{ bits,}

where :math:`\sigma_d` is the spread of coordinate d. One step for all coordinates of a party is the
least that can be sent for a given loss: coordinates that spread less are sent in fewer bits. With
the step a share :math:`\rho` of the root of the mean variance, the loss is :math:`\rho^2 / 12` of
the variance, whatever the units, the bounds and the number of coordinates.

The same row gives the same numbers every time, so that nothing is learnt by asking again. The step
is a power of two, which neither tells more of the rows than their scale nor brings in any error of
floating point. What can be said of a row *nearly*, such as by regression, stays what it was.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.collaboration.reduction import Reduction

__all__ = ["DEFAULT_ROUNDING", "RoundedReduction", "choose_step", "step_of", "to_steps"]

Array = npt.NDArray[np.float64]
Steps = npt.NDArray[np.int16 | np.int32]

DEFAULT_ROUNDING = 2.0**-5
"""Share of the spread to which estimators and drafts of studies round."""


def choose_step(representation: Array, anchor: Array, share: float) -> float:
    """Choose the step to which a party rounds: about a share of the spread of its coordinates.

    Parameters
    ----------
    representation : ndarray of shape (n_rows, n_components)
        What is to be sent of the rows, before it is rounded.
    anchor : ndarray of shape (n_anchor, n_components)
        The same of the anchor, whose spread counts where rows have none.
    share : float
        Above 0.

    Returns
    -------
    float
        The power of two nearest to this share of the root of the mean variance.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [8.0, 0.0]])
    >>> choose_step(rows, rows, 1 / 64)                                 # variances 16 and 0
    0.03125
    """
    spreads = (float(np.sqrt(Z.var(axis=0).mean())) for Z in (representation, anchor))
    spread = next((s for s in spreads if np.isfinite(s) and s > 0), 1.0)
    return float(2.0 ** np.clip(np.rint(np.log2(share * spread)), -1000, 1000))


def to_steps(Z: Array, step: float) -> Steps:
    """Return coordinates as whole numbers of steps, in two bytes each if they fit.

    Examples
    --------
    >>> to_steps(np.array([[0.24, -0.26]]), 0.25)
    array([[ 1, -1]], dtype=int16)
    """
    whole = np.rint(Z / step)
    furthest = float(np.abs(whole).max(initial=0.0))
    if furthest <= np.iinfo(np.int16).max:
        return whole.astype(np.int16)
    if furthest <= np.iinfo(np.int32).max:
        return whole.astype(np.int32)
    raise ValueError(
        f"coordinates reach {furthest:.2g} steps of {step:g}, must be at most "
        f"{np.iinfo(np.int32).max}: bounds or rows lie far beyond the spread of the rows that the "
        f"step was chosen by. Correct the bounds, or raise the rounding of the study."
    )


@dataclass(frozen=True, eq=False)
class RoundedReduction:
    """A reduction and what is left of it on the way: the map by which rows leave."""

    reduction: Reduction
    step: float

    def transform(self, X: Array) -> Array:
        """Reduce rows and round."""
        return np.asarray(to_steps(self.reduction.transform(X), self.step) * np.float64(self.step))


def step_of(f: Reduction) -> float:
    """Return the step to which a map rounds; 0 if it does not."""
    return f.step if isinstance(f, RoundedReduction) else 0.0
