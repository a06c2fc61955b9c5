"""What the analyst keeps of the rows of an institution: how many, their mean and their scatter.

Rows are seen in part where a party is absent or did not send them, so moments are taken apart for
each pattern of what is known. After one pass nothing depends on the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["Sight", "look", "patterns_of"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(eq=False)
class Sight:
    """What the analyst keeps of rows seen alike: how many, their mean and their scatter.

    Parameters
    ----------
    institution : int
        Whose rows they are.
    known : ndarray of shape (n_components,), bool
        The coordinates of that institution that were sent for these rows.
    shift : ndarray of shape (n_known,)
        Subtracted before summing, so that nothing is lost far from the origin.
    """

    institution: int
    known: Mask
    shift: Array
    n_rows: int = 0
    total: Array = field(init=False)
    squares: Array = field(init=False)

    def __post_init__(self) -> None:
        self.total = np.zeros(len(self.shift))
        self.squares = np.zeros((len(self.shift), len(self.shift)))

    def add(self, rows: Array) -> None:
        """Count rows in."""
        centred = rows - self.shift
        self.n_rows += len(rows)
        self.total += centred.sum(axis=0)
        self.squares += centred.T @ centred

    @property
    def mean(self) -> Array:
        """Mean of the rows."""
        return np.asarray(self.shift + self.total / self.n_rows)

    @property
    def covariance(self) -> Array:
        """Covariance of the rows about their mean."""
        offset = self.total / self.n_rows
        return np.asarray(self.squares / self.n_rows - np.outer(offset, offset))


def look(institution: int, parts: Iterable[Array]) -> list[Sight]:
    """Take the moments of an institution's rows in one pass, apart for each pattern of NaN.

    Examples
    --------
    >>> [sight] = look(0, [np.array([[1.0, 0.0], [3.0, 0.0]]), np.array([[5.0, 0.0]])])
    >>> sight.n_rows, sight.mean, sight.covariance.round(2)
    (3, array([3., 0.]), array([[2.67, 0.  ],
           [0.  , 0.  ]]))
    """
    sights: dict[bytes, Sight] = {}
    for part in parts:
        for known, rows in patterns_of(part):
            seen = part[np.ix_(rows, known)] if rows is not None else part
            if not len(seen) or not known.any():
                continue
            key = known.tobytes()
            if key not in sights:
                sights[key] = Sight(institution, known, seen.mean(axis=0))
            sights[key].add(seen)
    return list(sights.values())


def patterns_of(rows: Array) -> Iterator[tuple[Mask, npt.NDArray[np.intp] | None]]:
    """Yield each pattern of known coordinates with its rows; None stands for all rows."""
    missing = np.isnan(rows)
    if not missing.any():
        yield np.ones(rows.shape[1], dtype=bool), None
        return
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        yield ~pattern, np.flatnonzero(which.ravel() == k)
