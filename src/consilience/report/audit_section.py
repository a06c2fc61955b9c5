"""The section of the report that shows an audit, and a page that holds it alone."""

from __future__ import annotations

import io
from importlib.resources import files

import jinja2
import matplotlib as mpl

from consilience.collaboration.frontier import Frontier
from consilience.collaboration.frontier_figure import plot_frontier
from consilience.privacy.audits import Audit

__all__ = ["audit_page", "audit_section"]


def audit_section(audit: Audit, frontier: Frontier | None = None) -> str:
    """Return an audit as a fragment of HTML, the frontier as a picture inside it.

    Parameters
    ----------
    audit : Audit
    frontier : Frontier, optional

    Returns
    -------
    str
        A ``<section>``; every text is escaped, nothing is loaded from elsewhere.
    """
    return _render(
        "audit_section.html.j2",
        audit=audit,
        excluded=sorted({name for f in audit.findings for name in f.excluded}),
        frontier=frontier,
        picture="" if frontier is None else _picture(frontier),
    )


def audit_page(audit: Audit, title: str, frontier: Frontier | None = None) -> str:
    """Return a whole page that holds the section alone."""
    section = audit_section(audit, frontier)
    return _render("audit_page.html.j2", title=title, section=section)


def _render(template: str, **values: object) -> str:
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    source = files("consilience.report").joinpath(template).read_text(encoding="utf-8")
    return environment.from_string(source).render(**values)


def _picture(frontier: Frontier) -> str:
    """Draw the frontier as SVG without a date or random names, so that equal audits look equal."""
    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "consilience", "svg.fonttype": "none"}):
        plot_frontier(frontier).savefig(stream, format="svg", metadata={"Date": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]
