r"""How well rows were rebuilt: the same few numbers for every attack.

With :math:`\hat x` the attacker's guess of row x, in units of each column's standard deviation,
:math:`\bar x` the mean of the rows under attack and columns as :func:`count_columns` counts them:

=====================  ============================================================================
``r2``                 per column, 1 is exact, 0 is what guessing the column's mean gives
``relative_error``     median over rows of :math:`\|\hat x - x\| / \|x - \bar x\|`; guessing the
                       mean gives 1 for every row
``within_10_percent``  share of rows for which that ratio is at most 0.1
``top1``               share of guesses that lie at least as close to their own row as to any other
                       row under attack; duplicates of a row count as the row. The attacker may
                       measure in standard deviations or in the table's own units: the larger counts
=====================  ============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.metrics import pairwise_distances_argmin_min

from consilience.privacy.audits.columns import CountedColumns

__all__ = ["AlikeError", "Scores", "column_r2", "exact_rows", "score", "top1"]

Array = npt.NDArray[np.float64]


EXACT = 1e-6
"""A value rebuilt to within this share of the range of its column is the value."""


AGAIN = 0.5
"""Columns with at most so many different values to a row may tell rows by themselves."""
SINGLES_OUT = 0.5
"""They do if they have so many different combinations to a row."""


class AlikeError(ValueError):
    """The rows under attack do not differ, so that nothing can be scored."""


@dataclass(frozen=True)
class Scores:
    """What one run of one attack achieved.

    Parameters
    ----------
    r2 : tuple of float
        Of each counted column, in order.
    worst_feature : str
        The column rebuilt best: worst for its owner.
    relative_error, within_10_percent, top1 : float
        See the module.
    exact : float
        Share of the rows of which every column is rebuilt exactly; columns in which values hardly
        come twice may be missed, where the others alone tell rows from each other.
    rare_r2, rare_feature
        R2 and name of the near-constant column rebuilt best, None if these rows have none.
    """

    r2: tuple[float, ...]
    worst_feature: str
    relative_error: float
    within_10_percent: float
    top1: float
    exact: float = 0.0
    rare_r2: float | None = None
    rare_feature: str = ""

    @property
    def median_r2(self) -> float:
        """R2 of the typical column."""
        return float(np.median(self.r2))

    @property
    def worst_r2(self) -> float:
        """R2 of the column rebuilt best."""
        return max(self.r2)


def score(
    X: Array,
    rebuilt: Array,
    columns: CountedColumns,
    likeliest: Array | None = None,
    others: Array | None = None,
) -> Scores:
    """Compare the attacker's guesses with the rows.

    Parameters
    ----------
    X, rebuilt : ndarray of shape (n_rows, n_features)
    columns : CountedColumns
        A column that is constant in these rows, though not in the whole table, is passed over.
    likeliest : ndarray of shape (n_rows, n_features), optional
        What the rows most likely are exactly; by default what was rebuilt.
    others : ndarray of shape (n_others, n_features), optional
        More rows that a guess may be taken for.

    Raises
    ------
    AlikeError
        If the rows differ in no column that counts.

    Examples
    --------
    >>> from consilience.privacy.audits.columns import count_columns
    >>> X = np.array([[1.0, 0.0], [2.0, 5.0], [3.0, 1.0]])
    >>> guess = np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]])     # column 0 exact, 1 its mean
    >>> scores = score(X, guess, count_columns(X))
    >>> scores.r2, scores.worst_feature, round(scores.top1, 2)
    ((1.0, 0.0), '0', 0.67)
    """
    varied = np.flatnonzero(np.ptp(X[:, columns.places], axis=0) > 0)
    if not len(varied):
        raise AlikeError(f"the {len(X)} rows under attack do not differ in any column that counts.")
    rare_r2, rare_feature = _rare(X, rebuilt, columns)
    best = rebuilt if likeliest is None else likeliest
    exact = exact_rows(X, best)
    X, rebuilt = X[:, columns.places[varied]], rebuilt[:, columns.places[varied]]
    others = X[:0] if others is None else others[:, columns.places[varied]]
    r2 = column_r2(X, rebuilt)
    linked = top1(X, rebuilt, others)
    scale = X.std(axis=0)
    X, rebuilt, others = X / scale, rebuilt / scale, others / scale
    distance = np.linalg.norm(X - X.mean(axis=0), axis=1)
    # A row at the mean of all others is guessed by the mean; it counts by its error alone.
    distance[distance == 0] = 1.0
    ratio = np.linalg.norm(rebuilt - X, axis=1) / distance
    return Scores(
        r2=tuple(float(v) for v in r2),
        worst_feature=columns.names[varied[int(r2.argmax())]],
        relative_error=float(np.median(ratio)),
        within_10_percent=float((ratio <= 0.1).mean()),
        top1=max(linked, top1(X, rebuilt, others)),
        exact=float(exact),
        rare_r2=rare_r2,
        rare_feature=rare_feature,
    )


def exact_rows(X: Array, best: Array) -> float:
    """Return the share of rows found, by all columns or by all of which values come again.

    A weight to seven digits is not found exactly; whoever finds all answers that come with it has
    found the row.
    """
    right = np.abs(best - X) <= EXACT * np.ptp(X, axis=0)
    found = float(right.all(axis=1).mean())
    n_values = np.array([len(np.unique(column)) for column in X.T])
    again = n_values <= AGAIN * len(X)
    apart = len(np.unique(X[:, again], axis=0)) if again.any() else 0
    if apart < SINGLES_OUT * len(X):
        return found
    return max(found, float(right[:, again].all(axis=1).mean()))


def _rare(X: Array, rebuilt: Array, columns: CountedColumns) -> tuple[float | None, str]:
    here = np.flatnonzero(np.ptp(X[:, columns.rare], axis=0) > 0)
    if not len(here):
        return None, ""
    r2 = column_r2(X[:, columns.rare[here]], rebuilt[:, columns.rare[here]])
    return float(r2.max()), columns.rare_names[here[int(r2.argmax())]]


def column_r2(X: Array, rebuilt: Array) -> Array:
    """Return 1 minus the squared error over the squared deviation from the mean, per column."""
    error = ((X - rebuilt) ** 2).sum(axis=0)
    spread = ((X - X.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(1.0 - error / spread)


def top1(X: Array, rebuilt: Array, others: Array | None = None) -> float:
    """Return the share of guesses that no other row lies closer to than their own.

    Others are rows of which nothing was guessed.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [5.0]])
    >>> round(top1(rows, np.array([[0.4], [0.3], [9.0]])), 2)
    0.67
    """
    own = np.linalg.norm(rebuilt - X, axis=1)
    everybody = X if others is None else np.vstack([X, others])
    _, nearest = pairwise_distances_argmin_min(rebuilt, everybody)
    # The fast distances cancel digits: allow as much as they may lose.
    slack = 1e-6 * float(np.abs(X).max(initial=1.0))
    return float((own <= nearest + slack).mean())
