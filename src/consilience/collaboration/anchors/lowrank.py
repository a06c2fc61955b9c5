r"""Low-rank anchors: what is left of private rows after truncation and noise.

Section 3.1 of [Imakura2023]_, after [Imakura2021]_. Each party approximates its rows,

.. math:: X^{approx}_{ij} = X^{TSVD}_{ij} + \delta E,

and shows the approximation to all parties. Row by row they are one table, of which the anchor is a
sample, or which is topped up by linear combinations when more rows are wanted than there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.exceptions import StudyError

__all__ = ["LowRank", "approximate"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LowRank:
    """Anchor rows made from low-rank approximations of the parties' own rows.

    Parameters
    ----------
    rank : int or None, default 2
        Singular triples kept by each party; None keeps one less than it has columns.
    noise : float, default 0.1
        Standard deviation of the added normal numbers, in units of the standard deviation of the
        party's whole table.

    Notes
    -----
    This anchor *publishes something derived from private rows* to all other parties, before the
    round in which representations are sent. The higher the rank and the smaller the noise, the
    nearer it is to the rows themselves. It cannot be drawn from a key.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> blocks = [[rng.normal(size=(5, 3)), rng.normal(size=(5, 2))] for _ in range(2)]
    >>> LowRank(rank=1).draw(blocks, 12, rng).shape
    (12, 5)
    """

    rank: int | None = 2
    noise: float = 0.1

    def draw(
        self, blocks: Sequence[Sequence[Array]], n_anchor: int, rng: np.random.Generator
    ) -> Array:
        """Build the anchor from the parties' tables.

        Parameters
        ----------
        blocks : sequence of sequences of ndarray of shape (n_rows_i, n_features_j)
            ``blocks[i][j]`` is the table of party (i, j).
        n_anchor : int
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of shape (n_anchor, n_features), column group after column group
        """
        shown = np.vstack(
            [np.hstack([approximate(X, self.rank, self.noise, rng) for X in row]) for row in blocks]
        )
        n = len(shown)
        if n_anchor <= n:
            return np.asarray(shown[rng.choice(n, n_anchor, replace=False)])
        pairs = rng.integers(n, size=(2, n_anchor - n))
        weight = rng.uniform(size=(n_anchor - n, 1))
        more = weight * shown[pairs[0]] + (1 - weight) * shown[pairs[1]]
        return np.vstack([shown, more])


def approximate(X: Array, rank: int | None, noise: float, rng: np.random.Generator) -> Array:
    """Return the truncated singular value decomposition of a table, with noise.

    Examples
    --------
    >>> X = np.outer([1.0, 2.0], [3.0, 4.0])
    >>> approximate(X, 1, 0.0, np.random.default_rng(0)).round(6)
    array([[3., 4.],
           [6., 8.]])
    """
    kept = max(1, X.shape[1] - 1) if rank is None else rank
    if kept < 1:
        raise StudyError(f"rank == {rank}, must be >= 1: an empty approximation says nothing.")
    if noise < 0:
        raise StudyError(f"noise == {noise}, must be >= 0: it is a standard deviation.")
    U, values, V = np.linalg.svd(X, full_matrices=False)
    low = (U[:, :kept] * values[:kept]) @ V[:kept]
    return np.asarray(low + noise * X.std() * rng.normal(size=X.shape))
