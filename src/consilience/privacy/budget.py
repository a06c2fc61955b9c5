"""What has been spent: the privacy budget of a party, charge by charge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import fsum, isfinite

from consilience.exceptions import BudgetError
from consilience.privacy.release import Noise, Values

__all__ = ["Budget", "Charge"]

ROUNDING = 1e-9
"""Relative excess that is rounding of decimal fractions, not spending."""


@dataclass(frozen=True)
class Charge:
    """One entry of a budget.

    Parameters
    ----------
    purpose : str
        What was released, such as ``"window 3"``.
    epsilon : float
        Budget spent on each row of it.
    insecure : bool
        Whether the noise came from a fixed seed, so that the charge bought no privacy.
    """

    purpose: str
    epsilon: float
    insecure: bool = False


@dataclass
class Budget:
    """Adds up what was spent on a record over all releases and refuses to exceed a limit.

    Parameters
    ----------
    limit : float, optional
        Total epsilon per record, finite and > 0; None keeps account without a limit.
    charges : list of Charge
        What was spent before.

    Notes
    -----
    Charges add (sequential composition): a person may have a record in every window, so the sum
    bounds what all windows together tell about a person with one record in each.

    Examples
    --------
    >>> budget = Budget(limit=2.0)
    >>> budget.charge(1.5, "window 0")
    >>> budget.remaining
    0.5
    >>> budget.charge(1.0, "window 1")
    Traceback (most recent call last):
        ...
    consilience.exceptions.BudgetError: window 1 costs epsilon 1.0, but 1.5 of 2.0 is spent...
    """

    limit: float | None = None
    charges: list[Charge] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.limit is not None and not (isfinite(self.limit) and self.limit > 0):
            raise ValueError(
                f"limit == {self.limit}, must be finite and > 0, or None for an account without "
                f"a limit."
            )

    @property
    def spent(self) -> float:
        """Total epsilon per record so far."""
        return fsum(charge.epsilon for charge in self.charges)

    @property
    def remaining(self) -> float:
        """What is left; infinite without a limit."""
        return float("inf") if self.limit is None else max(self.limit - self.spent, 0.0)

    @property
    def spoken(self) -> str:
        """What was spent of how much, in words."""
        limit = "no limit" if self.limit is None else f"{self.limit:g}"
        return f"epsilon {self.spent:g} of {limit}"

    @property
    def insecure(self) -> bool:
        """Whether any charge used a fixed seed."""
        return any(charge.insecure for charge in self.charges)

    def charge(self, epsilon: float, purpose: str, *, insecure: bool = False) -> None:
        """Enter a charge, or refuse it without entering anything.

        Raises
        ------
        BudgetError
            If the limit would be exceeded.
        """
        if not (isfinite(epsilon) and epsilon > 0):
            raise ValueError(f"epsilon == {epsilon}, must be finite and > 0.")
        total = fsum([self.spent, epsilon])
        if self.limit is not None and total > self.limit * (1.0 + ROUNDING):
            raise BudgetError(
                f"{purpose} costs epsilon {epsilon}, but {self.spent} of {self.limit} is spent: "
                f"nothing was drawn or sent. Agree on a larger budget or stop here."
            )
        self.charges.append(Charge(purpose, float(epsilon), insecure))

    def draw(self, X: Values, noise: Noise[Values], purpose: str) -> Values:
        """Charge the price of noise, then return the values with it, drawn anew."""
        self.charge(noise.epsilon, purpose, insecure=noise.insecure_seed is not None)
        return noise.apply(X)

    def rows(self) -> list[list[str | float | bool]]:
        """Return the charges as plain lists, to be written as JSON."""
        return [[c.purpose, c.epsilon, c.insecure] for c in self.charges]

    @classmethod
    def from_rows(cls, limit: float | None, rows: Iterable[Iterable[str | float | bool]]) -> Budget:
        """Rebuild a budget from :meth:`rows`."""
        charges = []
        for purpose, epsilon, insecure in rows:
            charges.append(Charge(str(purpose), float(epsilon), bool(insecure)))
        return cls(limit, charges)
