"""The section of the report that shows an audit, and a page that holds it alone."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.privacy.audits.audit import Audit
from consilience.report.page import Note, Page, Part, Section, Table

__all__ = ["audit_page", "audit_section"]

EXPLANATION = (
    "R² is 1 if a typical column is rebuilt exactly and 0 if its mean is guessed. In brackets: "
    "95 % confidence over repeats on samples of the rows. An upper bound had help no attacker has. "
    "An attack that fails is no proof of safety."
)


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
        Note(audit.worst_line, warning=audit.worst is None or audit.worst.level != "green"),
        Table(header, audit.rows()),
        EXPLANATION,
    ]
    excluded = sorted({name for f in audit.findings for name in f.excluded})
    if excluded:
        names = ", ".join(excluded)
        parts.append(f"Not counted, because near-constant or a copy of another column: {names}.")
    parts += [Note(text) for text in audit.advice]
    parts += more
    return Section("What could be rebuilt from your contribution", parts)


def audit_page(audit: Audit, study: str, party: str, more: Sequence[Part] = ()) -> Page:
    """Return a page that holds the section alone; it stays at the party."""
    return Page(
        study,
        f"Audit of {party}",
        "For this party alone: it says what others could do with what it sends.",
        [audit_section(audit, more)],
        private=True,
    )
