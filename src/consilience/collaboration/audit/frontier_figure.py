"""The picture of a frontier: agreement against reconstruction, one dot a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.collaboration.audit.frontier import Frontier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_frontier"]

COLOURS = {"red": "#c62828", "amber": "#f0a202", "green": "#2e7d32"}
CLOSE = 0.04
"""Dots closer than this to the first of a group, both ways, share one number tag."""


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
    # Drawing is rare and the library slow to load: most commands never need it.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    groups: list[tuple[tuple[float, float], list[int]]] = []
    for number, point in enumerate(frontier.points, start=1):
        knee = point is frontier.knee
        place = point.agreement, max(point.reconstruction, 0.0)
        marks = ["present"] * point.present + ["the knee"] * knee
        axes.scatter(
            *place,
            s=40 + 160 * point.top1,
            color=COLOURS[point.level],
            edgecolor="black" if knee else "white",
            linewidth=2.0 if knee else 1.0,
            marker="s" if point.present else "o",
            zorder=3 if marks else 2,
            label=f"{number}: {point.setting}" + (f" ({', '.join(marks)})" if marks else ""),
        )
        for group in groups:
            if max(abs(place[0] - group[0][0]), abs(place[1] - group[0][1])) < CLOSE:
                group[1].append(number)
                break
        else:
            groups.append((place, [number]))
    for place, numbers in groups:
        axes.annotate(
            ", ".join(map(str, numbers)),
            place,
            xytext=(0, 12),
            textcoords="offset points",
            ha="center",
            fontsize=8,
        )
    axes.set_xlabel("agreement with the clusters of the rows as they are (adjusted Rand index)")
    axes.set_ylabel("median R2 a coalition rebuilds")
    axes.set_title("What a setting gives, and what it gives away", loc="left", fontsize=10)
    axes.set_ylim(-0.05, 1.15)
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)
    figure.legend(
        loc="outside right upper",
        fontsize=8,
        frameon=False,
        title="colour: grade; ringed: the knee;\nsquare: present; larger: more recognised",
        title_fontsize=8,
    )
    return figure
