"""Laplace noise for rows and for counts, calibrated by public facts, drawn by a vetted library.

The only file that imports OpenDP (extra ``dp``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.exceptions import MissingExtraError

__all__ = ["CountNoise", "LaplaceNoise", "check_epsilon", "opendp"]

FloatArray = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
GRID = -40
"""The noisy values lie on multiples of 2 to this power, in units of the range of a feature."""


@dataclass(frozen=True)
class LaplaceNoise:
    r"""Local differential privacy for the rows of a table.

    A row x is clipped to the bounds, scaled to the unit cube, and each of its d values receives
    independent Laplace noise of scale :math:`d / \epsilon`; the result is scaled back.

    Parameters
    ----------
    lower, upper : sequence of float
        Public bounds of each feature, agreed before anybody looked at the data.
    epsilon : float
        Budget per row, finite and > 0. All d values of the row share it.
    insecure_seed : int, optional
        For tests only: a fixed seed in place of the operating system's entropy, which makes
        the noise known to whoever knows the seed. The ledger records it.

    Notes
    -----
    Neighbouring relation: two tables that differ in the values of one row. After clipping and
    scaling such tables are at most d apart in the L1 norm (the sensitivity). Guarantee: pure
    epsilon-differential privacy of each row, by the Laplace mechanism [Dwork2006]_ and closure
    under post-processing for everything computed from the noisy rows. The published method
    reads the bounds from the private rows and spends epsilon on every *feature*; neither is
    done here.

    The noise is drawn by OpenDP on a grid of 2**-40, because naive floating-point Laplace
    noise betrays the value it hides by its last bits [Mironov2012]_. OpenDP's own account of
    the privacy spent, rounding included, is compared with `epsilon` before a value is drawn.

    Examples
    --------
    >>> noise = LaplaceNoise([0.0, -10.0], [1.0, 10.0], epsilon=4.0, insecure_seed=1)
    >>> noise.scale
    0.5
    >>> noise.apply(np.array([[0.5, 3.0], [0.2, 1e9]])).shape
    (2, 2)
    >>> LaplaceNoise([0.0], [1.0], epsilon=0.0)
    Traceback (most recent call last):
        ...
    ValueError: epsilon == 0.0, must be finite and > 0: ...
    """

    lower: Sequence[float]
    upper: Sequence[float]
    epsilon: float
    insecure_seed: int | None = None

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        lower, upper = np.asarray(self.lower, float), np.asarray(self.upper, float)
        if lower.ndim != 1 or lower.shape != upper.shape or not lower.size:
            raise ValueError(
                f"bounds have shapes {lower.shape} and {upper.shape}, must be two sequences of "
                f"equal length: the lower and the upper bound of each feature."
            )
        if not np.isfinite(lower).all() or not np.isfinite(upper).all():
            raise ValueError("bounds must be finite: noise cannot hide a value without limits.")
        if not (lower < upper).all():
            feature = int(np.flatnonzero(lower >= upper)[0])
            raise ValueError(
                f"the bounds of feature {feature} are {lower[feature]} and {upper[feature]}, the "
                f"lower must be less than the upper. Leave out a feature that cannot vary."
            )

    @property
    def n_features(self) -> int:
        """Number of values of a row, which share its budget."""
        return len(self.lower)

    @property
    def scale(self) -> float:
        """Scale of the noise on a value, as a fraction of the range of its feature."""
        return self.n_features / self.epsilon

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the rows of `X`, clipped and with fresh noise.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            Finite values.
        """
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"the rows have shape {X.shape}, must be (n_rows, {self.n_features}): one pair of "
                f"bounds per feature."
            )
        if not np.isfinite(X).all():
            raise ValueError("the rows have NaN or infinite values, which no bound can clip.")
        lower, upper = np.asarray(self.lower, float), np.asarray(self.upper, float)
        unit = (np.clip(X, lower, upper) - lower) / (upper - lower)
        noisy = self._add(np.clip(unit, 0.0, 1.0).ravel()).reshape(X.shape)
        shifted: FloatArray = lower + noisy * (upper - lower)
        return shifted

    def _add(self, values: FloatArray) -> FloatArray:
        if not values.size:
            return values
        if self.insecure_seed is not None:
            rng = np.random.default_rng(self.insecure_seed)
            return values + rng.laplace(scale=self.scale, size=values.size)
        dp = opendp()
        space = (
            dp.vector_domain(dp.atom_domain(T=float, nan=False), size=values.size),
            dp.l1_distance(T=float),
        )
        # Rounding n values to the grid adds n grid steps to the sensitivity, so the scale grows a
        # little (by 1e-6 of itself for a million values) for the total to stay within epsilon.
        scale, spent = self.scale, float("inf")
        while spent > self.epsilon:
            mechanism = dp.m.make_laplace(*space, scale=scale, k=GRID)
            spent = mechanism.map(float(self.n_features))
            scale *= max(spent / self.epsilon, 1.0) * (1.0 + 1e-15)
        return np.array(mechanism(values.tolist()))


@dataclass(frozen=True)
class CountNoise:
    r"""Differential privacy for a histogram: how many records there are of each kind.

    Each count receives independent two-sided geometric (discrete Laplace) noise of scale
    :math:`2 / \epsilon`.

    Parameters
    ----------
    epsilon : float
        Budget per record, finite and > 0.
    insecure_seed : int, optional
        For tests only; see :class:`LaplaceNoise`.

    Notes
    -----
    Neighbouring relation: two tables that differ in the values of one record, as for rows. The
    record leaves one count and joins another, so that the counts are at most 2 apart in the L1
    norm (the sensitivity). Guarantee: pure epsilon-differential privacy by the geometric mechanism
    [Ghosh2012]_, and epsilon / 2 for adding or removing one record, which changes one count by 1.
    Whole numbers have no last bits that could betray anything. OpenDP draws them, and its own
    account of the privacy spent is compared with `epsilon` first.

    Examples
    --------
    >>> noise = CountNoise(epsilon=4.0, insecure_seed=1)
    >>> noise.scale
    0.5
    >>> noise.apply(np.array([20, 0, 3])).dtype
    dtype('int64')
    """

    epsilon: float
    insecure_seed: int | None = None

    SENSITIVITY = 2

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)

    @property
    def scale(self) -> float:
        """Scale of the noise on a count."""
        return self.SENSITIVITY / self.epsilon

    def apply(self, counts: Counts) -> Counts:
        """Return the counts with fresh noise; they may be negative.

        Parameters
        ----------
        counts : ndarray of shape (n_kinds,), int64
        """
        if self.insecure_seed is not None:
            rng, p = np.random.default_rng(self.insecure_seed), -np.expm1(-1.0 / self.scale)
            steps = rng.geometric(p, size=(2, len(counts)))
            return np.asarray(counts + steps[0] - steps[1], dtype=np.int64)
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
        scale, spent = self.scale, float("inf")
        while spent > self.epsilon:
            mechanism = dp.m.make_laplace(*space, scale=scale)
            spent = mechanism.map(self.SENSITIVITY)
            scale *= 1.0 + 1e-15
        return np.array(mechanism(counts.tolist()), dtype=np.int64)


def check_epsilon(epsilon: float) -> None:
    """Refuse what is no finite number > 0."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float, np.number)):
        raise TypeError(f"epsilon == {epsilon!r}, must be a number.")
    if not isfinite(epsilon) or epsilon <= 0:
        raise ValueError(
            f"epsilon == {epsilon}, must be finite and > 0: zero asks for infinite noise and "
            f"infinity for none. Leave epsilon out to send without noise, if the study lets you."
        )


def opendp() -> Any:
    """Return the library that draws, or say how to install it."""
    try:
        import opendp.prelude as dp
    except ImportError as error:
        raise MissingExtraError("noise", "opendp", "dp") from error
    dp.enable_features("contrib")
    return dp
