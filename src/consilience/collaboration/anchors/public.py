"""Public rows must be public: none of them may be a row of a party."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from consilience.exceptions import StudyError

__all__ = ["check_public_rows"]

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-3
"""Probability that disjoint samples of one population are refused."""


def check_public_rows(public: Array, private: Array) -> None:
    r"""Refuse public rows that are rows of this party.

    Rows of categories, and rows of few columns, coincide by chance, so equality alone proves
    nothing. Chance is estimated from the private rows in two ways, of which the larger counts:
    :math:`q_1`, the share of private rows that have a twin among the private rows; and
    :math:`q_2 = 1 - e^{-n \prod_c s_c}`, with :math:`s_c` the share of pairs of rows that agree in
    column c (one pair is added, so that it is never zero), as if columns were independent. The set
    is refused when as many common rows as were found have probability below 0.001 under
    Binomial(p, q) for p public rows. With three columns of measured values, one common row is
    enough.

    Parameters
    ----------
    public : ndarray of shape (n_public, n_features)
    private : ndarray of shape (n_rows, n_features)
        The party's rows, the same columns.

    Notes
    -----
    A party that holds a few columns of categories cannot tell chance from a leak; the parties with
    measured values can, and each checks its own columns.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3))
    >>> check_public_rows(rng.normal(size=(10, 3)), X)
    >>> check_public_rows(X[:10], X)
    Traceback (most recent call last):
    ...
    consilience.exceptions.StudyError: 10 of the 10 public rows are rows of this party...
    """
    n_public, rows = len(public), np.vstack([public, private]) + 0.0
    _, codes = np.unique(rows, axis=0, return_inverse=True)
    codes = codes.ravel()
    counts = np.bincount(codes[n_public:], minlength=codes.max() + 1)
    n_common = int((counts[codes[:n_public]] > 0).sum())
    n_twins = int((counts[codes[n_public:]] > 1).sum())
    by_chance = max(n_twins / max(len(private), 1), _independent(private))
    if n_common and binom.sf(n_common - 1, n_public, by_chance) < FALSE_ALARM:
        raise StudyError(
            f"{n_common} of the {n_public} public rows are rows of this party, where chance "
            f"explains {n_public * by_chance:.1f}: publishing them leaks. Remove them from the "
            f"public set, or choose an anchor that needs no public rows, such as 'gaussian'."
        )


def _independent(X: Array) -> float:
    """Return the chance that a row has a twin if columns were independent."""
    n = len(X)
    n_pairs = n * (n - 1) / 2
    log_shares = 0.0
    for column in X.T:
        sizes = np.unique(column, return_counts=True)[1].astype(np.float64)
        log_shares += np.log(((sizes * (sizes - 1) / 2).sum() + 1) / (n_pairs + 1))
    return float(-np.expm1(-n * np.exp(log_shares)))
