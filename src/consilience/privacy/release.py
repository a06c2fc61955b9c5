"""The one gate through which noisy rows leave: charge, then draw, then build the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise

__all__ = ["release"]

FloatArray = npt.NDArray[np.float64]
Built = TypeVar("Built")


def release(
    X: FloatArray,
    noise: LaplaceNoise | None,
    budget: Budget,
    build: Callable[[FloatArray], Built],
    purpose: str,
) -> Built:
    """Charge the budget, draw the noise, and build what leaves from the noisy rows alone.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Private rows.
    noise : LaplaceNoise or None
        None passes the rows on as they are and charges nothing: no privacy is claimed.
    budget : Budget
        Charged before anything is drawn; a failure later on does not give the charge back,
        since what was drawn may have been seen.
    build : callable
        Makes the message from the noisy rows; it is handed nothing else.
    purpose : str
        The entry in the budget.

    Returns
    -------
    whatever `build` returns

    Examples
    --------
    >>> noise = LaplaceNoise([0.0], [1.0], epsilon=2.0, insecure_seed=0)
    >>> budget = Budget(limit=2.0)
    >>> release(np.array([[0.5]]), noise, budget, np.shape, "window 0")
    (1, 1)
    >>> budget.spent, budget.insecure
    (2.0, True)
    """
    if noise is None:
        return build(X)
    budget.charge(noise.epsilon, purpose, insecure=noise.insecure_seed is not None)
    return build(noise.apply(X))
