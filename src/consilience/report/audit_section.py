"""The section of the report that shows an audit, and a page that holds it alone."""

from __future__ import annotations

from consilience.collaboration.frontier import Frontier
from consilience.collaboration.frontier_figure import plot_frontier
from consilience.privacy.audits import Audit
from consilience.report.figures import report_style, to_svg
from consilience.report.page import Figure, Note, Page, Part, Section, Table

__all__ = ["audit_page", "audit_section"]

EXPLANATION = (
    "R² is 1 if a typical column is rebuilt exactly and 0 if its mean is guessed. In brackets: "
    "95 % confidence over repeats on samples of the rows. An upper bound had help no attacker has. "
    "An attack that fails is no proof of safety."
)

FRONTIER = (
    "What other settings would give and cost, tried on your table alone. Agreement: how far the "
    "clusters found together are those of your rows as they are; 1 is entirely, 0 by chance. "
    "Rebuilt and recognised: what the analyst gets together with a party of your columns. The knee "
    "is the setting that gives away least among those that keep 95 % of the best agreement."
)


def audit_section(audit: Audit, frontier: Frontier | None = None) -> Section:
    """Return an audit as a section of a report.

    Parameters
    ----------
    audit : Audit
    frontier : Frontier, optional
    """
    header = [
        "who would have to work together",
        "holding",
        "rebuild your columns",
        "recognise",
        "how grave",
    ]
    parts: list[Part] = [
        f"Audited: {audit.n_rows} rows, {audit.n_features} columns.",
        Note(audit.worst_line, warning=audit.worst is None or audit.worst.level != "green"),
        Table(header, audit.rows()),
        EXPLANATION,
    ]
    excluded = sorted({name for f in audit.findings for name in f.excluded})
    if excluded:
        names = ", ".join(excluded)
        parts.append(f"Not counted, because near-constant or a copy of another column: {names}.")
    parts += [Note(text) for text in audit.advice]
    if frontier is not None:
        parts += _frontier(frontier)
    return Section("What could be rebuilt from your contribution", parts)


def audit_page(audit: Audit, study: str, party: str, frontier: Frontier | None = None) -> Page:
    """Return a page that holds the section alone; it stays at the party."""
    return Page(
        study,
        f"Audit of {party}",
        "For this party alone: it says what others could do with what it sends.",
        [audit_section(audit, frontier)],
        private=True,
    )


def _frontier(frontier: Frontier) -> list[Part]:
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
