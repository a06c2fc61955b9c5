"""What a party sent, from its own ledger, as a section of its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consilience.collaboration.wording import weak_terms
from consilience.holdings import Place
from consilience.report.page import Cell, Note, Part, Section, Table
from consilience.study.study import Study

__all__ = ["Ledger", "entries_of", "last_contribution", "risk_notes", "sent_section"]

Ledger = Sequence[Mapping[str, Any]]

HIGH_RECONSTRUCTION = 0.8
REDUCED = {
    "rows": "rows",
    "dimensions": "dimensions",
    "anchor_rows": "anchor rows",
    "bytes": "bytes",
    "reconstruction": "audit, R²",
}
"""What the ledger says of reduced rows, and what a page calls it."""


def entries_of(study: Study, ledger: Ledger) -> Ledger:
    """Return the entries of one study."""
    return [entry for entry in ledger if entry.get("study") == study.digest]


def last_contribution(study: Study, ledger: Ledger) -> Mapping[str, Any]:
    """Return what the ledger says of the last contribution to a study; nothing if there is none."""
    sent = entries_of(study, ledger)
    return next((e for e in reversed(sent) if e.get("what") == "contribution"), {})


def risk_notes(study: Study, name: str, last: Mapping[str, Any]) -> list[Note]:
    """Repeat what the audit found before the last contribution left; without one, judge the terms.

    Parameters
    ----------
    study : Study
    name : str
        The party, ``"row/column"``.
    last : mapping
        Of :func:`last_contribution`.
    """
    reconstruction = last.get("reconstruction")
    if reconstruction is None:
        return weak_terms(study, [Place.of(name).column])
    if reconstruction < HIGH_RECONSTRUCTION:
        return []
    text = (
        f"The audit before you contributed: an analyst who colludes with a party of your columns "
        f"could rebuild a typical column of yours to R² {reconstruction:.2f} (1 is exact). Send "
        f"fewer dimensions next time; consilience audit shows how many."
    )
    return [Note(text, warning=True)]


def sent_section(study: Study, ledger: Ledger, fields: Mapping[str, str] = REDUCED) -> Section:
    """List everything that left for a study; count what left for others.

    Parameters
    ----------
    study : Study
    ledger : sequence of mappings
        All entries of the ledger.
    fields : mapping of str to str
        What to show of an entry, and how to call it.
    """
    sent = entries_of(study, ledger)
    parts: list[Part] = ["From your ledger: everything that left for this study."]
    if sent:
        header = ["when (UTC)", "what", "to", "file", *fields.values()]
        parts.append(Table(header, [_line(entry, fields) for entry in sent]))
    else:
        parts.append(Note("The ledger has no entry of this study.", warning=True))
    if len(ledger) > len(sent):
        parts.append(f"Entries of other studies, not shown: {len(ledger) - len(sent)}.")
    return Section("What you sent", parts)


def _line(entry: Mapping[str, Any], fields: Mapping[str, str]) -> list[Cell]:
    return [
        str(entry.get("when", "")).replace("T", " ").removesuffix("+00:00"),
        str(entry.get("what", "")) + (f" by {entry['by']}" if "by" in entry else ""),
        str(entry.get("to", "")) or None,
        str(entry.get("file", "")) or None,
        *(entry.get(field) for field in fields),
    ]
