"""The frontier as parts of a page: a picture, and a table of every setting that was tried."""

from __future__ import annotations

from consilience.collaboration.audit.frontier import NOT_HERE, Frontier
from consilience.collaboration.audit.frontier_figure import plot_frontier
from consilience.report.figures import report_style, to_svg
from consilience.report.page import Cell, Figure, Grade, Part, Table

__all__ = ["show_frontier"]

FRONTIER = (
    "What other settings would give and cost, tried on your table alone. Agreement: how far the "
    "clusters found together are those of your rows as they are; 1 is entirely, 0 by chance. "
    "Rebuilt, exactly and recognised: what the analyst gets with a party of your columns. The knee "
    "is the setting that gives away least among those that keep 95 % of the best agreement."
)
HEADER = [
    "setting",
    "agreement",
    "rebuilt R²",
    "best column",
    "rows exactly",
    "rows recognised",
    "grade",
    "",
]


def show_frontier(frontier: Frontier) -> list[Part]:
    """Return what a page says about a frontier."""
    rows: list[list[Cell]] = [
        [
            point.setting,
            f"{point.agreement:.2f}",
            f"{point.reconstruction:.2f}",
            f"{point.worst:.2f}",
            f"{point.exact:.0%}",
            f"{point.top1:.0%}",
            Grade(point.level),
            ", ".join(["present"] * point.present + ["the knee"] * (point is frontier.knee)),
        ]
        for point in frontier.points
    ]
    knee = frontier.knee
    alt = (
        f"{len(rows)} settings by agreement and by R² rebuilt; the knee is {knee.setting}, "
        f"agreement {knee.agreement:.2f}, R² {knee.reconstruction:.2f}."
    )
    with report_style():
        picture = to_svg(plot_frontier(frontier))
    return [
        FRONTIER,
        Figure(picture, alt=alt, caption="To the lower right: safe and useful."),
        Table(HEADER, rows),
        NOT_HERE,
    ]
