"""Discrete Gaussian noise on sums of whole numbers, many draws under one epsilon and delta."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import isfinite, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.exceptions import BudgetError
from consilience.privacy.noise import check_epsilon, opendp

__all__ = ["ConcentratedNoise", "rho_within"]

Wholes = npt.NDArray[np.int64]

N_HALVINGS = 60


@dataclass
class ConcentratedNoise:
    r"""A fixed allowance of zero-concentrated differential privacy, spent draw by draw.

    Parameters
    ----------
    epsilon, delta : float
        What all draws together may cost a record; `epsilon` finite and > 0, `delta` between 0 and
        1, both exclusive.
    insecure_seed : int, optional
        For tests and audits only: a fixed seed in place of the operating system's entropy.

    Attributes
    ----------
    rho : float
        The same allowance as zero-concentrated differential privacy.
    spent : float
        What of `rho` the draws so far cost, by OpenDP's own account.

    Notes
    -----
    Neighbouring relation: the caller's, who states how far it moves the numbers (`sensitivity`, in
    the L2 norm). A draw adds independent discrete Gaussian noise [Canonne2020]_ of scale
    :math:`\sigma` and costs :math:`\Delta^2 / (2 \sigma^2)`; costs add, also where a draw depends
    on those before it [Bun2016]_; and :math:`\rho` is turned into :math:`(\epsilon, \delta)` by
    OpenDP. Both figures are OpenDP's, and are compared before anything is drawn. Whole numbers have
    no last bits that could betray anything.

    Examples
    --------
    >>> noise = ConcentratedNoise(epsilon=1.0, delta=1e-6, insecure_seed=0)
    >>> noise.add(np.array([100, 200]), sensitivity=1, share=0.5).shape
    (2,)
    >>> round(noise.spent / noise.rho, 6)
    0.5
    """

    epsilon: float
    delta: float
    insecure_seed: int | None = None
    spent: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if not (isfinite(self.delta) and 0 < self.delta < 1):
            raise ValueError(
                f"delta == {self.delta}, must be between 0 and 1, both exclusive: Gaussian noise "
                f"keeps no epsilon with certainty. Take one far below 1 / rows, such as 1e-6."
            )
        self.rho = rho_within(float(self.epsilon), float(self.delta))
        self._rng = np.random.default_rng(self.insecure_seed)

    def scale(self, sensitivity: float, share: float) -> float:
        """Return the standard deviation of the noise of a draw that costs this share of all."""
        return sensitivity / sqrt(2.0 * self.rho * share)

    def add(self, values: Wholes, *, sensitivity: int, share: float) -> Wholes:
        """Return the numbers with fresh noise, or refuse before anything is drawn.

        Parameters
        ----------
        values : ndarray of int64
        sensitivity : int
            How far, in the L2 norm, they move between neighbours.
        share : float
            Of the allowance.

        Raises
        ------
        BudgetError
            If this draw and those before it cost more than the allowance.
        """
        scale = self.scale(sensitivity, share) * (1.0 + 1e-12)
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
        mechanism = dp.m.make_gaussian(*space, scale=scale)
        total = self.spent + mechanism.map(float(sensitivity))
        if total > self.rho:
            raise BudgetError(
                f"a draw would bring what is spent to rho {total:.6g}, must be <= {self.rho:.6g}, "
                f"which is epsilon {self.epsilon:g} at delta {self.delta:g}: nothing was drawn."
            )
        self.spent = total
        if self.insecure_seed is not None:
            drawn = self._rng.normal(scale=scale, size=values.shape)
            return np.asarray(values + np.rint(drawn), dtype=np.int64)
        noisy: Any = mechanism(values.ravel().tolist())
        return np.array(noisy, dtype=np.int64).reshape(values.shape)


@cache
def rho_within(epsilon: float, delta: float) -> float:
    """Return the largest rho that OpenDP's own conversion counts as this epsilon and delta.

    Examples
    --------
    >>> round(rho_within(1.0, 1e-6), 4)
    0.0244
    """
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T=float)
    # Of scale 1, a sensitivity s costs rho = s * s / 2.
    converted = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=1.0))
    low, high = 0.0, epsilon
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        within = converted.map(sqrt(2.0 * middle)).epsilon(delta) <= epsilon
        low, high = (middle, high) if within else (low, middle)
    return low
