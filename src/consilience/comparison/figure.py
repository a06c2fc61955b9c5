"""The picture of a comparison: what is found against what is given away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from consilience.report.figures import look, report_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_comparison"]

LEAST = 5e-4
"""Shares below this are drawn here: a logarithm has no zero."""
CLOSE, FACTOR = 0.03, 2.0
"""Marks closer than this, sideways and as a ratio of heights, share one tag."""


@report_style()
def draw_comparison(table: pd.DataFrame) -> Figure:
    """Draw one mark for each method, larger where more bytes leave.

    Parameters
    ----------
    table : DataFrame
        Of a :class:`~consilience.comparison.result.Comparison`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.6), layout="constrained")
    axes = figure.subplots()
    tags: list[tuple[float, float, list[int]]] = []
    given_away = table[["rebuilt", "recognised", "as they are"]].max(axis=1).clip(lower=0)
    for k, method in enumerate(table.index):
        if given_away[method] != given_away[method]:
            continue
        colour, marker = look(k)
        size = 40 + 25 * len(f"{table.loc[method, 'kilobytes']:.0f}")
        x, y = table.loc[method, "agreement"], max(given_away[method], LEAST)
        axes.scatter(
            x, y, s=size, color=colour, marker=marker, alpha=0.85, edgecolor="white", label=method
        )
        near = [
            numbers for a, b, numbers in tags if abs(a - x) < CLOSE and b / FACTOR < y < b * FACTOR
        ]
        if near:
            near[0].append(k + 1)
        else:
            tags.append((x, y, [k + 1]))
    for x, y, numbers in tags:
        text = ", ".join(map(str, numbers))
        axes.annotate(
            text, (x, y), xytext=(0, 9), textcoords="offset points", ha="center", fontsize=8
        )
    handles, names = axes.get_legend_handles_labels()
    places = {str(method): k + 1 for k, method in enumerate(table.index)}
    axes.set_yscale("log")
    axes.set_ylim(LEAST / 2, 2)
    axes.set_xlabel("agreement with the clusters of the pooled rows (adjusted Rand index)")
    axes.set_ylabel("largest share or R2 an attacker gets")
    axes.set_title("What a method finds, and what it gives away: lower right is best", loc="left")
    axes.grid(alpha=0.3)
    figure.legend(
        handles,
        [f"{places[name]}: {name}" for name in names],
        loc="outside right upper",
        fontsize=8,
        frameon=False,
        title="larger: more bytes leave",
        title_fontsize=8,
    )
    return figure
