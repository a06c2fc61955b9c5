"""One attacker for all methods: who reads all that was sent and knows a few rows already.

It knows one row in twenty of every institution, at least 20 and twice as many as there are columns
(at most half of them), and which row each thing that was said of a row is about. From what was said
of the known rows it learns to read the others, by an affine map and by trees, whichever rebuilds
more. To recognise a row it knows the columns of everybody, and takes the row that lies nearest to
what it rebuilt; where points of many rows were sent, one of those that lie nearest to the point. It
holds no anchor and no key: for an analyst who colludes with a party, the audit of the kind of study
says more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from consilience.comparison.heard import Held
from consilience.privacy.audits.attribute import infer_attributes, message_features
from consilience.privacy.audits.columns import CountedColumns, count_columns
from consilience.privacy.audits.known_rows import rebuild_from_known_rows
from consilience.privacy.audits.scores import EXACT, AlikeError, Scores, score

__all__ = ["MIN_ROWS", "Exposed", "expose"]

Array = npt.NDArray[np.float64]

MIN_ROWS = 60
"""Below this many rows an institution has too few to know some and score the others."""
MAX_ROWS = 1_000
KNOWN_SHARE, MIN_KNOWN = 0.05, 20


class Exposed(NamedTuple):
    """What the attacker gets of the institution it gets most of.

    Attributes
    ----------
    rebuilt : float
        Median over columns of the R2 to which rows are rebuilt; 1 is exact. 0 where nothing was
        said of single rows, or nothing that helps.
    recognised : float
        Share of rows that are recognised.
    as_they_are : float
        Share of rows that stand in what was sent.
    """

    rebuilt: float
    recognised: float
    as_they_are: float


def expose(X: Array, held: Sequence[Held], seed: int) -> Exposed:
    """Attack what every institution sent, and return the largest of each figure.

    An institution with fewer than :data:`MIN_ROWS` rows counts by the rows that stand in what it
    sent; if all are that small, how well rows are rebuilt is NaN.

    Examples
    --------
    >>> from consilience.baselines.sent import Sent
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> rows, columns = np.arange(200), np.arange(3)
    >>> linear = Held(rows, columns, Sent(of_rows=[X @ [[2.0, 1, 0], [0, 1, 1], [1, 0, 3]]]))
    >>> [round(figure, 3) for figure in expose(X, [linear], seed=0)]
    [1.0, 1.0, 0.0]
    >>> copies = Held(rows, columns, Sent(points=[X[:50]]))
    >>> expose(X, [copies], seed=0).as_they_are
    0.25
    """
    each = [_expose(X[np.ix_(h.rows, h.columns)], h, seed) for h in held]
    return Exposed(*np.fmax.reduce(np.array(each)).tolist())


def _expose(X: Array, held: Held, seed: int) -> Exposed:
    rebuilt, recognised = _rebuild(X, held, np.random.default_rng(seed))
    exact = np.zeros(len(X), dtype=bool)
    for points in held.sent.points:
        distance, nearest = KDTree(points).query(X)
        exact |= distance <= EXACT * np.sqrt(X.shape[1])
        recognised = float(np.fmax(recognised, len(np.unique(nearest)) / len(X)))
    as_they_are = float(exact.mean())
    if as_they_are > 0:
        recognised = float(np.fmax(recognised, as_they_are))
    return Exposed(rebuilt, recognised, as_they_are)


def _rebuild(X: Array, held: Held, rng: np.random.Generator) -> tuple[float, float]:
    said = held.sent.of_rows
    if not said:
        return 0.0, 0.0
    if len(X) < MIN_ROWS:
        return float("nan"), float("nan")
    order = rng.permutation(len(X))[:MAX_ROWS]
    X, columns = X[order], count_columns(X)
    n_known = max(MIN_KNOWN, int(KNOWN_SHARE * len(X)), min(2 * X.shape[1], len(X) // 2))
    guesses = [_read(X, said, order, n_known)]
    numbers = [part[order].reshape(len(order), -1) for part in said if part.dtype.kind == "f"]
    if numbers:
        told = np.hstack(numbers)
        guesses.append(rebuild_from_known_rows(X[:n_known], told[:n_known], told))
    scores = [_scored(X[n_known:], guess[n_known:], columns) for guess in guesses]
    found = [s for s in scores if s is not None]
    if not found:
        return 0.0, 0.0
    return max(0.0, *(s.median_r2 for s in found)), max(s.top1 for s in found)


def _read(
    X: Array, said: Sequence[npt.NDArray[np.generic]], order: npt.NDArray[np.intp], n_known: int
) -> Array:
    """Guess every row from labels and numbers, by trees that learnt from the known rows."""
    parts = [part[order].reshape(len(order), -1) for part in said]
    features = [
        part.astype(np.float64) if part.dtype.kind == "f" else message_features(part.astype(int))
        for part in parts
    ]
    nothing = np.empty((len(X), 0))
    return infer_attributes(nothing, np.hstack(features), np.arange(n_known), X[:n_known], seed=0)


def _scored(X: Array, guess: Array, columns: CountedColumns) -> Scores | None:
    try:
        return score(X, guess, columns)
    except AlikeError:
        return None
