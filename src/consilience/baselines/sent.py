"""What a compared method lets leave: the published protocols have no messages of ours to count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Sent"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False)
class Sent:
    """What one party sent, in all rounds.

    Parameters
    ----------
    n_bytes : int
        As plain arrays.
    points : list of ndarray of shape (n_points, n_features)
        Points in the space of the party's rows, one array for each time it sent some.
    of_rows : list of ndarray of shape (n_rows,) or (n_rows, n_numbers)
        What was said of each row, in the order of the party's rows.

    Examples
    --------
    >>> sent = Sent()
    >>> sent.add(np.zeros((3, 2)), points=True)
    >>> sent.add(np.zeros(3, dtype=np.int32))
    >>> sent.n_bytes, len(sent.points), len(sent.of_rows)
    (60, 1, 0)
    """

    n_bytes: int = 0
    points: list[Array] = field(default_factory=list)
    of_rows: list[npt.NDArray[Any]] = field(default_factory=list)

    def add(self, array: npt.NDArray[Any], *, points: bool = False, of_rows: bool = False) -> None:
        """Note that an array left, and whether it shows points or says something of each row."""
        self.n_bytes += array.nbytes
        if points:
            self.points.append(array)
        if of_rows:
            self.of_rows.append(array)
