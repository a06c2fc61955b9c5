"""The picture of a frontier: agreement against reconstruction, one dot a setting."""

from __future__ import annotations

from matplotlib.figure import Figure

from consilience.collaboration.frontier import Frontier

__all__ = ["plot_frontier"]


def plot_frontier(frontier: Frontier) -> Figure:
    """Draw a frontier; dots to the lower right are safe and useful.

    Parameters
    ----------
    frontier : Frontier

    Returns
    -------
    matplotlib.figure.Figure
        Belongs to no window: save it with ``savefig``.
    """
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for point in frontier.points:
        knee = point is frontier.knee
        axes.scatter(
            point.agreement,
            max(point.reconstruction, 0.0),
            s=40 + 160 * point.top1,
            color="tab:red" if knee else "tab:blue",
            edgecolor="white",
            zorder=3 if knee else 2,
        )
        axes.annotate(
            f"{point.setting} (knee)" if knee else point.setting,
            (point.agreement, max(point.reconstruction, 0.0)),
            xytext=(6, 6),
            textcoords="offset points",
            fontsize=8,
        )
    axes.set_xlabel("agreement with the clusters of the rows as they are (adjusted Rand index)")
    axes.set_ylabel("median R2 a coalition rebuilds")
    axes.set_title("What a setting gives, and what it gives away", loc="left", fontsize=10)
    axes.text(0.01, 0.01, "larger dot: more rows recognised", transform=axes.transAxes, fontsize=8)
    axes.set_ylim(-0.05, 1.1)
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)
    return figure
