"""One table, dealt to institutions: what every compared method is given alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array

from consilience.holdings import Holdings, column_groups, row_groups

__all__ = ["Array", "Split", "deal"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Split:
    """A table, and who holds what of it.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    holdings : Holdings
    n_clusters, seed : int
    """

    X: Array
    holdings: Holdings
    n_clusters: int
    seed: int

    @property
    def parties(self) -> npt.NDArray[np.int64]:
        """The place of the institution that holds each row."""
        codes = np.empty(len(self.X), dtype=np.int64)
        for k, rows in enumerate(self.holdings.rows):
            codes[rows] = k
        return codes

    @property
    def columns(self) -> list[list[int]]:
        """The columns of each group, as estimators take them."""
        return [group.tolist() for group in self.holdings.columns]

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest value of each column; between institutions these are public terms.

        A column that does not vary gets a width of 1: noise needs one.
        """
        lower, upper = self.X.min(axis=0), self.X.max(axis=0)
        return lower, np.where(upper > lower, upper, lower + 1.0)

    @property
    def split_by(self) -> str:
        """Whether ``"rows"``, ``"columns"``, ``"both"`` or nothing (``"none"``) is split."""
        rows, columns = len(self.holdings.rows) > 1, len(self.holdings.columns) > 1
        return {(0, 0): "none", (1, 0): "rows", (0, 1): "columns", (1, 1): "both"}[rows, columns]


def deal(
    X: Any,
    parties: Any,
    columns: Sequence[Sequence[Any]] | None,
    n_clusters: int,
    seed: int,
    scale: bool = True,
) -> Split:
    """Check a table and part it, in units of its spreads if asked; every column keeps its place.

    Examples
    --------
    >>> split = deal([[0.0, 5], [2, 5], [4, 5]], ["a", "b", "b"], None, 2, 0)
    >>> split.split_by, split.X[:, 1].tolist(), split.parties.tolist()
    ('rows', [0.0, 0.0, 0.0], [0, 1, 1])
    """
    names = np.asarray(X.columns) if hasattr(X, "columns") else None
    table = check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X")
    if scale:
        spread = table.std(axis=0)
        table = (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    institutions, rows = row_groups(parties, len(table))
    groups = column_groups(columns, table.shape[1], names)
    return Split(table, Holdings(institutions, rows, groups), n_clusters, seed)
