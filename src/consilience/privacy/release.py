"""The one gate through which noisy values leave: charge, then draw, then build the message.

Who charges is an account: a :class:`~consilience.privacy.budget.Budget` within one process, and an
:class:`~consilience.privacy.accountant.Accountant` where the ledger of a private folder outlives
it and a draw is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

__all__ = ["Account", "Noise", "release"]

Built = TypeVar("Built")
Values = TypeVar("Values")


class Noise(Protocol[Values]):
    """What hides private values, and its price: rows by LaplaceNoise, counts by CountNoise."""

    @property
    def epsilon(self) -> float:
        """Budget spent on each record."""

    @property
    def insecure_seed(self) -> int | None:
        """The fixed seed of a test, or None."""

    def apply(self, X: Values, /) -> Values:
        """Return the values with fresh noise."""


class Account(Protocol):
    """What noise is charged to, before it is drawn."""

    @property
    def spent(self) -> float:
        """Total epsilon per record so far."""

    @property
    def spoken(self) -> str:
        """What was spent of how much, in words."""

    def draw(self, X: Values, noise: Noise[Values], purpose: str) -> Values:
        """Charge the price of noise, then return the values with it."""


def release(
    X: Values,
    noise: Noise[Values] | None,
    account: Account,
    build: Callable[[Values], Built],
    purpose: str,
) -> Built:
    """Charge the budget, draw the noise, and build what leaves from the noisy values alone.

    Parameters
    ----------
    X : ndarray
        Private values: rows, or counts.
    noise : LaplaceNoise, CountNoise or None
        None passes the values on as they are and charges nothing: no privacy is claimed.
    account : Budget or Accountant
        Charged before anything is drawn; a failure later on does not give the charge back,
        since what was drawn may have been seen.
    build : callable
        Makes the message from the noisy values; it is handed nothing else.
    purpose : str
        The entry in the budget.

    Returns
    -------
    whatever `build` returns

    Examples
    --------
    >>> import numpy as np
    >>> from consilience.privacy.budget import Budget
    >>> from consilience.privacy.noise import LaplaceNoise
    >>> noise = LaplaceNoise([0.0], [1.0], epsilon=2.0, insecure_seed=0)
    >>> budget = Budget(limit=2.0)
    >>> release(np.array([[0.5]]), noise, budget, np.shape, "window 0")
    (1, 1)
    >>> budget.spent, budget.insecure
    (2.0, True)
    """
    if noise is None:
        return build(X)
    return build(account.draw(X, noise, purpose))
