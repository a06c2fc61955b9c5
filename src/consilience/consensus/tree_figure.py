"""A readable picture of a Cluster Fusion Hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from consilience.consensus.hierarchy import Hierarchy

__all__ = ["draw_tree"]


def draw_tree(hierarchy: Hierarchy, ax: Any = None, max_clusters: int = 24) -> Any:
    """Draw each cluster as a disc of the size of its rows, joined to its successor.

    Parameters
    ----------
    hierarchy : Hierarchy
    ax : Axes or None, default=None
    max_clusters : int, default=24
        Drawn per level; a note says how many smaller ones are not.

    Returns
    -------
    Axes
    """
    if ax is None:
        # Imported here: a report brings axes of its own and needs no window.
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    table = hierarchy.clusters()
    places = _place(table, max_clusters)
    n_rows = len(hierarchy.parent)
    for (level, medoid), (y, size, following) in places.items():
        target = places.get((level + 1, following))
        if target is not None:
            ax.plot([level, level + 1], [y, target[0]], color="0.75", linewidth=1, zorder=1)
        ax.scatter(level, y, s=30 + 900 * size / n_rows, color="#2a6f97", zorder=2)
        ax.annotate(
            f"{medoid}: {size}",
            (level, y),
            xytext=(9, 6),
            textcoords="offset points",
            fontsize=7,
        )
    levels = range(1, int(table[-1, 0]) + 1)
    for level in levels:
        n = int((table[:, 0] == level).sum())
        note = f"{n} clusters" + (f", {n - max_clusters} not drawn" if n > max_clusters else "")
        ax.annotate(note, (level, 1.03), ha="center", fontsize=8)
    ax.set(xlim=(0.6, max(levels) + 0.7), ylim=(-0.05, 1.1), yticks=[], xticks=list(levels))
    ax.set_xlabel("iteration (label: medoid row, number of rows)")
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax


def _place(
    table: npt.NDArray[np.int64], max_clusters: int
) -> dict[tuple[int, int], tuple[float, int, int]]:
    """Spread the clusters of each level evenly, in the order of their successors."""
    places: dict[tuple[int, int], tuple[float, int, int]] = {}
    for level in range(int(table[-1, 0]), 0, -1):
        rows = table[table[:, 0] == level][:max_clusters]
        above = np.array([places.get((level + 1, int(n)), (0.5, 0, 0))[0] for n in rows[:, 3]])
        rows = rows[np.lexsort((-rows[:, 2], -above))]
        for place, (_, medoid, size, following) in enumerate(rows):
            y = 1 - (place + 0.5) / len(rows)
            places[(level, int(medoid))] = (y, int(size), int(following))
    return places
