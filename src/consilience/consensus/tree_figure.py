"""A readable picture of a Cluster Fusion Hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["draw_tree"]

Labels = npt.NDArray[np.int64]
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#5e3c99")
SMALL, WIDTH, READABLE = "#c9cfd6", 0.62, 0.035


def draw_tree(
    clusters: Labels, final: Labels, names: Labels, ax: Any = None, max_clusters: int = 24
) -> Any:
    """Draw one column for each iteration, in which clusters are as high as they have rows.

    What joins into one cluster stands beside it, at the same height and in its colour.

    Parameters
    ----------
    clusters, final, names : ndarray
        ``clusters()``, ``medoids()`` and ``cut()`` of a
        :class:`~consilience.consensus.hierarchy.Hierarchy`.
    ax : Axes or None, default=None
    max_clusters : int, default=24
        Drawn one by one in each column; smaller ones are grey together.

    Returns
    -------
    Axes
    """
    if ax is None:
        # Imported here: a report brings axes of its own and needs no window.
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    n_rows = len(names)
    columns = stack(clusters)
    last = len(columns)
    ranks = {int(medoid): rank for rank, medoid in enumerate(columns[last][0])}
    for level, (medoids, sizes, starts) in columns.items():
        drawn = np.zeros(len(sizes), dtype=bool)
        drawn[np.argsort(-sizes, kind="stable")[:max_clusters]] = True
        ax.bar(level, n_rows, WIDTH, color=SMALL)
        colours = [COLOURS[ranks[int(final[m])] % len(COLOURS)] for m in medoids[drawn]]
        shape = {"bottom": starts[drawn], "color": colours}
        ax.bar(level, sizes[drawn], WIDTH, **shape, edgecolor="white", linewidth=0.7)
        if level < last:
            ax.bar(level + 0.5, sizes[drawn], 1 - WIDTH, **shape, alpha=0.18)
        for start, size in zip(starts[drawn], sizes[drawn], strict=True):
            if size >= READABLE * n_rows:
                middle = (level, start + size / 2)
                ax.annotate(f"{size}", middle, ha="center", va="center", fontsize=7, color="white")
    for medoid, size, start in zip(*columns[last], strict=True):
        if size >= READABLE * n_rows:
            place = (last + WIDTH / 2, start + size / 2)
            word = f"cluster {names[medoid]}"
            ax.annotate(word, place, (5, 0), textcoords="offset points", va="center", fontsize=7)
    words = [f"{level}\n{len(sizes)} clusters" for level, (_, sizes, _) in columns.items()]
    ax.set_xticks(list(columns), words, fontsize=7)
    ax.set(xlim=(0.6, last + 0.9), ylim=(n_rows, 0), yticks=[], xlabel="iteration")
    ax.spines[["left", "right", "top", "bottom"]].set_visible(False)
    return ax


def stack(table: Labels) -> dict[int, tuple[Labels, Labels, Labels]]:
    """Order the clusters of each level so that what joins later is together.

    Parameters
    ----------
    table : ndarray of shape (n_clusters, 4)
        From :meth:`~consilience.consensus.hierarchy.Hierarchy.clusters`.

    Returns
    -------
    dict
        Of each level the medoids, the sizes, and how many rows stand before each cluster.

    Examples
    --------
    >>> table = np.array([[1, 0, 2, 0], [1, 5, 2, 5], [1, 7, 1, 0], [2, 0, 3, 0], [2, 5, 2, 5]])
    >>> [medoids.tolist() for medoids, _, _ in stack(table).values()]
    [[0, 7, 5], [0, 5]]
    """
    columns: dict[int, tuple[Labels, Labels, Labels]] = {}
    place: dict[int, int] = {}
    for level in range(int(table[-1, 0]), 0, -1):
        _, medoids, sizes, following = table[table[:, 0] == level].T
        above = np.array([place.get(int(n), 0) for n in following])
        order = np.lexsort((medoids, -sizes, above))
        medoids, sizes = medoids[order], sizes[order]
        columns[level] = medoids, sizes, np.cumsum(sizes) - sizes
        place = {int(medoid): k for k, medoid in enumerate(medoids)}
    return dict(sorted(columns.items()))
