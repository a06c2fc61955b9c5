"""Public rows must be public: none of them may be a row of a party."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import hypergeom

from consilience.exceptions import StudyError

__all__ = ["check_public_rows"]

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-3
"""Probability that disjoint samples of one population are refused by their number of twins."""

IMPOSSIBLE = 1e-6
"""Expected number of common rows below which a single one is refused."""


def check_public_rows(public: Array, private: Array) -> None:
    r"""Refuse public rows that are rows of this party.

    Rows of categories, and rows of few columns, coincide by chance, so equality alone proves
    nothing. Let :math:`k` of p public rows equal a private row, and :math:`k_0` of n private rows
    have a twin among the private ones. The set is refused if

    - so many of the :math:`k + k_0` fall to the public rows only once in 1,000 times when rows are
      exchangeable (hypergeometric tail), or
    - no private row has a twin, and :math:`p\, n \prod_c s_c < 10^{-6}` common rows were to be
      expected if columns were independent, with :math:`s_c` the share of pairs of private rows that
      agree in column c (one pair is added, so that it is never zero).

    By the second rule a single common row is refused where three or more columns are measured.

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
    tail = hypergeom.sf(n_common - 1, n_public + len(private), n_common + n_twins, n_public)
    impossible = n_twins == 0 and n_public * len(private) * _agreement(private) < IMPOSSIBLE
    if n_common and (tail < FALSE_ALARM or impossible):
        raise StudyError(
            f"{n_common} of the {n_public} public rows are rows of this party, of whose "
            f"{len(private)} own rows {n_twins} have a twin: publishing them leaks. Remove them "
            f"from the public set, or choose an anchor that needs no public rows, such as "
            f"'gaussian'."
        )


def _agreement(X: Array) -> float:
    """Return the chance that two rows agree if columns were independent."""
    n = len(X)
    n_pairs = n * (n - 1) / 2
    log_shares = 0.0
    for column in X.T:
        sizes = np.unique(column, return_counts=True)[1].astype(np.float64)
        log_shares += np.log(((sizes * (sizes - 1) / 2).sum() + 1) / (n_pairs + 1))
    return float(np.exp(log_shares))
