"""The frontier as parts of a page: a picture, and a table of every setting that was tried."""

from __future__ import annotations

from consilience.collaboration.audit.frontier import Frontier
from consilience.collaboration.audit.frontier_figure import plot_frontier
from consilience.report.figures import report_style, to_svg
from consilience.report.page import Figure, Part, Table

__all__ = ["show_frontier"]

FRONTIER = (
    "What other settings would give and cost, tried on your table alone. Agreement: how far the "
    "clusters found together are those of your rows as they are; 1 is entirely, 0 by chance. "
    "Rebuilt and recognised: what the analyst gets together with a party of your columns. The knee "
    "is the setting that gives away least among those that keep 95 % of the best agreement."
)


def show_frontier(frontier: Frontier) -> list[Part]:
    """Return what a page says about a frontier."""
    rows = [
        [
            point.setting,
            f"{point.agreement:.2f}",
            f"{point.reconstruction:.2f}",
            f"{point.top1:.0%}",
            "the knee" if point is frontier.knee else "",
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
        Table(["setting", "agreement", "rebuilt R²", "rows recognised", ""], rows),
    ]
