"""Rows that stand in for a table: private centres, each as often as it stands for rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from consilience.privacy.concentrated import ConcentratedNoise
from consilience.privacy.noise import LaplaceNoise
from consilience.privacy.private_centers import private_centers

__all__ = ["DELTA", "StandIns"]

FloatArray = npt.NDArray[np.float64]

DELTA = 1e-6
"""The delta of a table, unless told otherwise."""


@dataclass(frozen=True)
class StandIns:
    r"""Differential privacy for the rows of a table, by rows that are nobody's.

    The rows are clipped to the bounds and scaled to the unit cube; centres of them, and how many
    rows each stands for, are released by
    :func:`~consilience.privacy.private_centers.private_centers`; every centre is then repeated
    that often. Noise is drawn once for many rows in place of once for each: at the same epsilon far
    less is needed than for :class:`~consilience.privacy.noise.LaplaceNoise`.

    Parameters
    ----------
    lower, upper : sequence of float
        Public bounds of each feature, agreed before anybody looked at the data.
    epsilon : float
        Budget per row, finite and > 0.
    delta : float
        Beside epsilon; far below one in the number of rows.
    insecure_seed : int, optional
        For tests and audits only; see :class:`~consilience.privacy.noise.LaplaceNoise`.

    Notes
    -----
    Neighbouring relation: two tables of which one has one row more. Guarantee: (epsilon, delta),
    proved in ``docs/proofs/private-summaries.md``; repeating and ordering use what was released
    alone. The number of stand-ins is as private as the rest.

    Examples
    --------
    >>> hide = StandIns([0.0, 0.0], [1.0, 10.0], epsilon=5.0, insecure_seed=0)
    >>> X = np.random.default_rng(0).uniform(size=(300, 2)) * [1.0, 10.0]
    >>> abs(len(hide.apply(X)) - 300) < 30
    True
    """

    lower: Sequence[float]
    upper: Sequence[float]
    epsilon: float
    delta: float = DELTA
    insecure_seed: int | None = None

    def __post_init__(self) -> None:
        LaplaceNoise(self.lower, self.upper, self.epsilon)  # the same rules for the bounds
        if not 0 < self.delta < 1:
            raise ValueError(f"delta == {self.delta}, must be between 0 and 1, both exclusive.")

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.lower)

    def apply(self, X: FloatArray) -> FloatArray:
        """Return stand-ins of the rows of `X`, of shape (n_rows, n_features), in random order."""
        if X.ndim != 2 or X.shape[1] != self.n_features or not np.isfinite(X).all():
            raise ValueError(
                f"the rows have shape {X.shape}, must be (n_rows, {self.n_features}) and finite."
            )
        lower, upper = np.asarray(self.lower, float), np.asarray(self.upper, float)
        Z = np.clip((np.clip(X, lower, upper) - lower) / (upper - lower), 0.0, 1.0) - 0.5
        noise = ConcentratedNoise(self.epsilon, self.delta, self.insecure_seed)
        found = private_centers(Z, sqrt(self.n_features) / 2, noise)
        times = np.maximum(np.rint(found.weights), 1).astype(np.int64)
        # The order needs no secrecy: from the released centres it is another in every window.
        rng = np.random.default_rng(np.frombuffer(found.centers.tobytes(), dtype=np.uint64))
        order = rng.permutation(np.repeat(np.arange(len(times)), times))
        stand_ins: FloatArray = lower + (found.centers[order] + 0.5) * (upper - lower)
        return stand_ins
