"""The dendrogram of institutions for a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram

__all__ = ["draw_dendrogram"]


NO_HEIGHT = 1e-9


def draw_dendrogram(
    tree: npt.NDArray[np.float64], names: Sequence[Any], threshold: float
) -> Figure:
    """Draw how institutions merge, and where the threshold cuts.

    Parameters
    ----------
    tree : ndarray of shape (n_parties - 1, 4)
    names : sequence
        The institutions, in the order of the tree.
    threshold : float

    Examples
    --------
    >>> from consilience.collaboration.learning.grouping import merge_tree
    >>> tree = merge_tree(np.array([[1.0, 0.0], [0.8, 0.2], [0.0, 1.0]]))
    >>> figure = draw_dendrogram(tree, ["a", "b", "c"], 0.5)
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
    ['c', 'a', 'b']
    """
    figure = Figure(figsize=(max(4.0, 0.18 * len(names)), 3.2), layout="constrained")
    axes = figure.add_subplot()
    # Institutions of one mix merge at no height at all, of which an axis cannot be made.
    heights = np.maximum(tree[:, 2], NO_HEIGHT)
    dendrogram(
        np.column_stack([tree[:, :2], heights, tree[:, 3]]),
        labels=[str(n) for n in names],
        color_threshold=threshold,
        above_threshold_color="grey",
        ax=axes,
        leaf_rotation=90 if len(names) > 8 else 0,
    )
    axes.axhline(threshold, linestyle="--", color="black", linewidth=1)
    axes.set(ylabel="distance of label mixes", ylim=(0, 1.02))
    return figure
