"""The picture of a network over rounds: one small panel per round, all in the same directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from consilience.report.figures import WIDTH, look, report_style, to_svg, two_directions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_network"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

N_NAMED = 8
"""Clusters of a panel that bear their name, those of most nodes."""


@report_style()
def draw_network(panels: Sequence[tuple[str, FloatArray, IntArray, IntArray]]) -> bytes:
    """Draw nodes and edges of several rounds, coloured by cluster.

    Parameters
    ----------
    panels : sequence of (str, ndarray, ndarray, ndarray)
        Title, nodes of shape (n, d), edges of shape (m, 2) and names of the nodes' clusters of
        each round; at least one round and one node.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    every = two_directions(np.concatenate([nodes for _, nodes, _, _ in panels]))
    if every.shape[1] == 1:
        every = np.column_stack([every[:, 0], np.zeros(len(every))])
    n_columns = min(len(panels), 3)
    n_rows = -(-len(panels) // n_columns)
    figure = Figure(figsize=(WIDTH, 0.4 + WIDTH / max(n_columns, 2) * n_rows), layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True).ravel()
    start = 0
    for axes, (title, nodes, edges, labels) in zip(grid, panels, strict=False):
        points = every[start : start + len(nodes)]
        start += len(nodes)
        lines = LineCollection(
            list(points[edges]), colors="#8a94a3", linewidths=0.7, zorder=1, rasterized=True
        )
        axes.add_collection(lines)
        names, sizes = np.unique(labels, return_counts=True)
        for name in names:
            inside = points[labels == name]
            colour, marker = look(int(name))
            axes.scatter(*inside.T, s=14, c=colour, marker=marker, linewidths=0, rasterized=True)
        _name_clusters(axes, points, labels, names[np.argsort(-sizes, kind="stable")], every)
        axes.margins(0.12)
        axes.set_title(title, fontsize=10)
        axes.set_xticks([])
        axes.set_yticks([])
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    return to_svg(figure)


def _name_clusters(
    axes: Axes, points: FloatArray, labels: IntArray, names: IntArray, every: FloatArray
) -> None:
    """Write the names of the largest clusters above them, but never one name over another."""
    room = 0.1 * np.ptp(every, axis=0)
    taken: list[FloatArray] = []
    for name in names[:N_NAMED]:
        inside = points[labels == name]
        place = np.array([inside[:, 0].mean(), inside[:, 1].max()])
        if any((np.abs(place - other) < room).all() for other in taken):
            continue
        taken.append(place)
        axes.annotate(
            str(name),
            tuple(place),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            fontweight="bold",
        )
