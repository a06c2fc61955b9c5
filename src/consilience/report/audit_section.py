"""The section of the report that shows an audit, and a page that holds it alone."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import GRADES
from consilience.report.page import Cell, Grade, Note, Page, Part, Section, Table

__all__ = ["audit_page", "audit_section"]

EXPLANATION = (
    "R² is 1 if a column is rebuilt exactly and 0 if its mean is guessed: of a typical column, "
    "then of the one rebuilt best. In brackets: 95 % confidence over repeats on samples of the "
    "rows. Red or amber is a typical column rebuilt to {0[1]} or {0[0]}, any column to {1[1]} or "
    "{1[0]}, {2[1]:.0%} or {2[0]:.0%} of the rows exactly, or {3[1]:.0%} or {3[0]:.0%} of them "
    "recognised, beyond chance; amber, too, what has room for a whole row. An upper bound had help "
    "no attacker has. An attack that fails is no proof of safety."
).format(*GRADES.values())


def audit_section(audit: Audit, more: Sequence[Part] = ()) -> Section:
    """Return an audit as a section of a report.

    Parameters
    ----------
    audit : Audit
    more : sequence of parts
        Put at its end, such as the frontier of a data collaboration.
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
        Note(audit.worst_line, warning=audit.level != "green"),
        Table(header, [_graded(row) for row in audit.rows()]),
        EXPLANATION,
    ]
    excluded = sorted({name for f in audit.findings for name in f.excluded})
    if excluded:
        names = ", ".join(excluded)
        parts.append(f"Not counted, because near-constant or a copy of another column: {names}.")
    parts += [Note(text) for text in audit.advice]
    parts += more
    return Section("What could be rebuilt from your contribution", parts)


def _graded(row: Sequence[str]) -> list[Cell]:
    *cells, level = row
    return [*cells, Grade(level) if level in ("red", "amber", "green") else level]


def audit_page(audit: Audit, study: str, party: str, more: Sequence[Part] = ()) -> Page:
    """Return a page that holds the section alone; it stays at the party."""
    return Page(
        study,
        f"Audit of {party}",
        "For this party alone: it says what others could do with what it sends.",
        [audit_section(audit, more)],
        private=True,
    )
