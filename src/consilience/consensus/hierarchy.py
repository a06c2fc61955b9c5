"""The Cluster Fusion Hierarchy: who joined whom, and when."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.notebook import html_table

__all__ = ["Hierarchy"]

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The fusions of a consensus, as (child, parent, iteration).

    Parameters
    ----------
    parent : ndarray of shape (n_rows,), int64
        The medoid each row joined; a row that never joined another is its own parent.
    iteration : ndarray of shape (n_rows,), int64
        When it joined, from 1; 0 for rows that never did.

    Examples
    --------
    Rows 0 and 1 join 2 in the first iteration, and 3 joins 4; then 4 joins 2.

    >>> tree = Hierarchy(np.array([2, 2, 2, 4, 2]), np.array([1, 1, 0, 1, 2]))
    >>> tree.cut(0), tree.cut(1), tree.cut()
    (array([0, 1, 2, 3, 4]), array([0, 0, 0, 1, 1]), array([0, 0, 0, 0, 0]))
    >>> tree.fusions()
    array([[0, 2, 1],
           [1, 2, 1],
           [3, 4, 1],
           [4, 2, 2]])
    """

    parent: Labels
    iteration: Labels

    @property
    def n_levels(self) -> int:
        """The last iteration in which anything joined."""
        return int(self.iteration.max(initial=0))

    def medoids(self, level: int | None = None) -> Labels:
        """Give the medoid that stands for each row after an iteration (None: the last)."""
        level = self._level(level)
        joined = (self.iteration > 0) & (self.iteration <= level)
        medoid = np.where(joined, self.parent, np.arange(len(self.parent)))
        while True:
            higher = medoid[medoid]
            if np.array_equal(higher, medoid):
                return medoid
            medoid = higher

    def cut(self, level: int | None = None) -> Labels:
        """Give the clusters after iteration `level`, numbered by first appearance.

        Parameters
        ----------
        level : int or None, default=None
            0 leaves every row alone; None is the final clustering.
        """
        return pd.factorize(self.medoids(level))[0].astype(np.int64)

    def fusions(self) -> Labels:
        """List the fusions as (child, parent, iteration), by iteration and child."""
        child = np.flatnonzero(self.iteration)
        table = np.column_stack([child, self.parent[child], self.iteration[child]])
        return table[np.lexsort((child, table[:, 2]))]

    def clusters(self) -> Labels:
        """List (level, medoid, size, next medoid), largest first in each level."""
        parts = []
        for level in range(1, max(self.n_levels, 1) + 1):
            medoid, size = np.unique(self.medoids(min(level, self.n_levels)), return_counts=True)
            above = self.medoids(min(level + 1, self.n_levels))[medoid]
            order = np.lexsort((medoid, -size))
            columns = [np.full(len(medoid), level), medoid, size, above]
            parts.append(np.column_stack(columns)[order])
        return np.vstack(parts).astype(np.int64)

    def to_json(self) -> str:
        """Write the hierarchy as JSON: the number of rows and the fusions."""
        content = {"n_rows": len(self.parent), "fusions": self.fusions().tolist()}
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote.

        Examples
        --------
        >>> Hierarchy.from_json('{"n_rows":3,"fusions":[[2,0,1]]}').cut()
        array([0, 1, 0])
        """
        content = json.loads(text)
        parent = np.arange(content["n_rows"], dtype=np.int64)
        iteration = np.zeros_like(parent)
        for child, medoid, when in content["fusions"]:
            parent[child], iteration[child] = medoid, when
        return cls(parent, iteration)

    def to_dot(self, max_clusters: int = 200) -> str:
        """Write the clusters of all levels as a Graphviz graph, largest first.

        Parameters
        ----------
        max_clusters : int, default=200
            More than this many clusters per level are left out, smallest first, with a
            note.
        """
        lines = ["digraph hierarchy {", "  rankdir=LR; node [shape=box];"]
        table = self.clusters()
        for level in range(1, int(table[-1, 0]) + 1):
            clusters = table[table[:, 0] == level]
            for _, medoid, size, above in clusters[:max_clusters]:
                lines.append(f'  "{level}/{medoid}" [label="{medoid}: {size} rows"];')
                if level < self.n_levels:
                    lines.append(f'  "{level}/{medoid}" -> "{level + 1}/{above}";')
            if len(clusters) > max_clusters:
                lines.append(f"  // level {level}: {len(clusters) - max_clusters} more left out")
        return "\n".join([*lines, "}", ""])

    def plot(self, ax: Any = None, max_clusters: int = 24) -> Any:
        """Draw how clusters joined, iterations from left to right, on a Matplotlib axis.

        Parameters
        ----------
        ax : Axes or None, default=None
            None makes a new figure.
        max_clusters : int, default=24
            Drawn one by one in each iteration; smaller ones are grey together.

        Returns
        -------
        Axes
        """
        # Imported here: fitting needs no drawing library.
        from consilience.consensus.tree_figure import draw_tree

        return draw_tree(self.clusters(), self.medoids(), self.cut(), ax, max_clusters)

    def _repr_html_(self) -> str:
        rows = []
        for level in range(1, self.n_levels + 1):
            sizes = np.bincount(self.cut(level))
            cells = (level, len(sizes), int(sizes.max()), int((sizes == 1).sum()))
            rows.append([f"{cell:,}" for cell in cells])
        header = ["iteration", "clusters", "largest", "single rows"]
        return html_table(header, rows, f"Hierarchy of {len(self.parent):,} rows")

    def _level(self, level: int | None) -> int:
        if level is None:
            return self.n_levels
        if not 0 <= level <= self.n_levels:
            raise ValueError(
                f"level == {level}, must be in [0, {self.n_levels}]: 0 joins no rows, "
                f"{self.n_levels} is the last iteration in which clusters joined."
            )
        return level
