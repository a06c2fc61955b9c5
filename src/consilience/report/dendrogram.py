"""The picture of how clusters join into larger ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import dendrogram

from consilience.report.figures import COLOURS, new_figure, report_style, to_svg

__all__ = ["draw_dendrogram"]


@report_style()
def draw_dendrogram(tree: npt.NDArray[np.float64], names: Sequence[str]) -> bytes:
    """Draw a tree with its leaves at one side, and further joints further away.

    Parameters
    ----------
    tree : ndarray of shape (n_leaves - 1, 3)
        The two that are joined, a leaf or ``n_leaves`` plus the line of an earlier joint, and the
        height.
    names : sequence of str
        Of the leaves.
    """
    figure, axes = new_figure(0.8 + 0.28 * len(names))
    dendrogram(
        np.column_stack([tree, np.ones(len(tree))]),
        orientation="left",
        labels=list(names),
        ax=axes,
        color_threshold=0,
        above_threshold_color=COLOURS[0],
        leaf_font_size=9,
    )
    axes.set_xlabel("height: how unlike what is joined is")
    axes.spines["left"].set_visible(False)
    return to_svg(figure)
