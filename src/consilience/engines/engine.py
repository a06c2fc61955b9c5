"""What a method may ask of rows, wherever they lie: one small interface for every engine.

Rows come in blocks of a size that depends on their width alone. A step is a function of one block;
its results come in the order of the blocks, whoever computed them, so that sums over all rows are
the same to the last bit in memory, on disk and on the machines of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays

__all__ = ["BLOCK_BYTES", "Engine", "Rows", "Tell", "block_slices"]

Array = npt.NDArray[np.float64]
Result = TypeVar("Result")
Tell = Callable[[str, int, int], None]
"""Called with what is being done, how many blocks of it are done, and of how many."""

BLOCK_BYTES = 2**23
"""Size of a block: 65,536 rows of 16 dimensions."""


class Rows(Protocol):
    """Rows of the collaboration representation.

    Attributes
    ----------
    engine : Engine
        What keeps them.
    shape : (int, int)
        Rows and dimensions.
    """

    @property
    def engine(self) -> Engine:
        """What keeps the rows."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and dimensions."""

    def __len__(self) -> int:
        """Return how many rows there are."""

    def take(self, places: npt.NDArray[np.intp]) -> Array:
        """Return a copy of some rows, whose places rise."""

    def whole(self) -> Array:
        """Return all rows at once, for a method that cannot do with less.

        Raises
        ------
        StudyError
            If they are more than the memory that was granted.
        """

    def each(
        self,
        step: Callable[..., Result],
        *arguments: Any,
        beside: npt.NDArray[Any] | None = None,
        doing: str = "",
    ) -> Iterator[Result]:
        """Run a step on every block; yield its results in the order of the blocks.

        Parameters
        ----------
        step : callable
            A function of a module, so that another process finds it: ``step(block, *arguments)``,
            or ``step(block, part, *arguments)`` with what stands beside the rows of the block.
        beside : ndarray of shape (n_rows, ...), optional
        doing : str
            What this is, for the person who waits.
        """


class Engine(Protocol):
    """Keeps what is as large as the table, and tells how far a step over it is."""

    @property
    def tell(self) -> Tell:
        """What hears how far a step is."""

    def rows(self, name: str, shape: tuple[int, int], parts: Callable[[], Iterable[Array]]) -> Rows:
        """Put rows where they are to lie, part by part.

        Where they lie there already, from a run that was killed, nothing is made again.
        """

    def keep(self, name: str, parts: Callable[[], Iterable[Arrays]]) -> Arrays:
        """Put arrays together from parts and keep them, as :meth:`rows` does; they are read only.

        Parameters
        ----------
        name : str
            What they are, with all they depend on beside what arrived at the analyst.
        parts : callable
            Yields parts of the same names, to be joined along the first dimension.
        """

    def labels(self, n_rows: int, n_clusters: int) -> npt.NDArray[Any]:
        """Return an array for one cluster a row, or -1; all are -1 now."""

    def blank(self, shape: tuple[int, ...]) -> Array:
        """Return an array of zeros."""


def block_slices(shape: tuple[int, int]) -> Iterator[slice]:
    """Yield where the blocks of rows begin and end.

    Examples
    --------
    >>> [inside.stop for inside in block_slices((150_000, 16))]
    [65536, 131072, 150000]
    """
    n_rows, n_dimensions = shape
    size = max(1, BLOCK_BYTES // (8 * max(n_dimensions, 1)))
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
