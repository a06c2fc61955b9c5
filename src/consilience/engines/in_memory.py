"""All rows in the memory of this process: what most studies need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.engines.engine import Engine, Rows, Tell, block_slices

__all__ = ["InMemory", "RowsInMemory", "as_rows", "silent"]

Array = npt.NDArray[np.float64]
Result = TypeVar("Result")


def silent(doing: str, done: int, total: int) -> None:
    """Tell nobody."""


class InMemory:
    """Keeps rows as one array.

    Parameters
    ----------
    tell : callable
        Hears how far a step is, see :mod:`~consilience.engines.engine`.

    Examples
    --------
    >>> rows = InMemory().rows("rows", (3, 2), lambda: [np.ones((1, 2)), np.zeros((2, 2))])
    >>> list(rows.each(np.sum))
    [np.float64(2.0)]
    """

    def __init__(self, tell: Tell = silent) -> None:
        self.tell = tell

    def rows(self, name: str, shape: tuple[int, int], parts: Callable[[], Iterable[Array]]) -> Rows:
        """Put rows into one array."""
        X, start = np.empty(shape), 0
        for part in parts():
            X[start : start + len(part)] = part
            start += len(part)
        return RowsInMemory(X, self)

    def keep(self, name: str, parts: Callable[[], Iterable[Arrays]]) -> Arrays:
        """Put arrays together."""
        made = list(parts())
        if len(made) == 1:
            return made[0]
        return {name: np.concatenate([part[name] for part in made]) for name in made[0]}

    def labels(self, n_rows: int, n_clusters: int) -> npt.NDArray[Any]:
        """Return labels as scikit-learn has them."""
        return np.full(n_rows, -1, dtype=np.int64)

    def blank(self, shape: tuple[int, ...]) -> Array:
        """Return an array of zeros."""
        return np.zeros(shape)


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """Rows that are one array."""

    X: Array
    engine: Engine

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and dimensions."""
        return self.X.shape[0], self.X.shape[1]

    def __len__(self) -> int:
        return len(self.X)

    def take(self, places: npt.NDArray[np.intp]) -> Array:
        """Return a copy of some rows."""
        return self.X[places]

    def whole(self) -> Array:
        """Return the array."""
        return self.X

    def each(
        self,
        step: Callable[..., Result],
        *arguments: Any,
        beside: npt.NDArray[Any] | None = None,
        doing: str = "",
    ) -> Iterator[Result]:
        """Run a step on every block, here and now."""
        slices = list(block_slices(self.shape))
        for done, inside in enumerate(slices, start=1):
            own = () if beside is None else (beside[inside],)
            yield step(self.X[inside], *own, *arguments)
            if doing:
                self.engine.tell(doing, done, len(slices))


def as_rows(X: Array | Rows) -> Rows:
    """Return rows that are an array already as rows of an engine; rows as they are.

    Examples
    --------
    >>> as_rows(np.zeros((3, 2))).shape
    (3, 2)
    """
    return RowsInMemory(X, InMemory()) if isinstance(X, np.ndarray) else X
