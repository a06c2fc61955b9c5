"""What arrived at an analyst and how it was joined: a part of the page of every analyst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from consilience.collaboration.gathering import Gathering
from consilience.collaboration.terms import Reduced
from consilience.collaboration.wording import weak_terms
from consilience.holdings import Place
from consilience.report.page import Cell, Note, Section, Table
from consilience.study.id_faults import tell_unmatched
from consilience.study.study import Study

__all__ = [
    "ASK",
    "NOTICE",
    "Received",
    "arrived_section",
    "gaps",
    "joined_section",
    "joins_summary",
    "joins_table",
    "missing_parties",
]

NOTICE = "Made from what the parties sent: reduced rows, never the tables."
ASK = "Ask the parties before you pass it on."


@dataclass(frozen=True)
class Received:
    """What came from one party: sizes, no contents."""

    party: str
    n_rows: int
    n_dimensions: int
    n_anchor: int
    n_bytes: int


def joins_summary(analyst: Gathering) -> dict[str, Any]:
    """Return how many rows of each institution met, as plain values."""
    return {
        "rows": {row: join.n_rows for row, join in analyst.joins.items()},
        "complete": {row: join.n_complete for row, join in analyst.joins.items()},
        "unmatched": {row: join.n_unmatched for row, join in analyst.joins.items()},
    }


def joins_table(analyst: Gathering) -> Table:
    """Return the same as a table."""
    return Table(
        ["row institution", "rows used", "at every party", "unmatched, by party"],
        [
            [row, str(join.n_rows), str(join.n_complete), ", ".join(map(str, join.n_unmatched))]
            for row, join in analyst.joins.items()
        ],
    )


def missing_parties(study: Study, received: Sequence[Received]) -> list[str]:
    """Return the parties of the study that sent nothing."""
    there = {r.party for r in received}
    return [party for party in study.grid.parties if party not in there]


def gaps(
    study: Study, analyst: Gathering, received: Sequence[Received], found: int | None
) -> list[Note]:
    """Warn of parties and rows that are missing, and of anchors and terms that are weak.

    Parameters
    ----------
    study : Study
    analyst : Gathering
        After it has solved.
    received : sequence of Received
    found : int or None
        Dimensions of the collaboration representation; None where there are several.
    """
    missing = missing_parties(study, received)
    texts = []
    if missing:
        texts.append(f"Nothing came from {', '.join(missing)}; the study was solved without.")
    sent = {r.party: r for r in received}
    for row, join in analyst.joins.items():
        if any(join.n_unmatched):
            parties = [p for p in study.grid.parties if p in sent and Place.of(p).row == row]
            counts = [f"{n:,} of {p}" for p, n in zip(parties, join.n_unmatched, strict=True)]
            rule = {"drop": "left out", "keep": "kept, their missing part estimated"}
            texts.append(
                f"Rows not at every party of {row}: {', '.join(counts)}. They were "
                f"{rule.get(study.ids.unmatched, 'refused')}, as the study says. "
                f"{tell_unmatched(join.n_unmatched)}".rstrip()
            )
    texts += _anchor_gaps(study, analyst, received, found)
    columns = [
        c for c in study.grid.columns if any(Place.of(r.party).column == c for r in received)
    ]
    return [Note(text, warning=True) for text in texts] + weak_terms(study, columns)


def _anchor_gaps(
    study: Study, analyst: Gathering, received: Sequence[Received], found: int | None
) -> list[str]:
    """Say where the anchors do not determine the alignment well."""
    texts = []
    widths = {
        row: sum(r.n_dimensions for r in received if Place.of(r.party).row == row)
        for row in analyst.joins
    }
    alignment = study.of(Reduced).alignment
    if alignment.min_singular_value is not None:
        found = None
    wanted = max(widths.values()) + (alignment.affine and alignment.target != "population")
    # Rows fewer than dimensions cannot span them, and need not.
    spanned = min(wanted, sum(join.n_rows for join in analyst.joins.values()))
    if found is not None and found < spanned:
        texts.append(
            f"The anchors span {found} of {wanted} dimensions: part of what the parties sent "
            f"could not be aligned. Check bounds and number of anchor rows."
        )
    n_anchor = min(r.n_anchor for r in received)
    if n_anchor < 2 * wanted:
        texts.append(
            f"There are {n_anchor} anchor rows for {wanted} dimensions; the alignment is steadier "
            f"with at least twice as many."
        )
    if len(set(widths.values())) > 1:
        named = ", ".join(f"{row} {n}" for row, n in widths.items())
        texts.append(
            f"Row institutions sent different numbers of dimensions ({named}): rows of those with "
            f"fewer are known less well."
        )
    return texts


def arrived_section(study: Study, received: Sequence[Received]) -> Section:
    """List every party with the sizes of what it sent."""
    known = {r.party: r for r in received}
    rows: list[list[Cell]] = []
    for party in study.grid.parties:
        width = study.width_of(Place.of(party).column)
        if party not in known:
            rows.append([party, "nothing arrived", None, None, None, None])
            continue
        r = known[party]
        rows.append([party, r.n_rows, r.n_dimensions, width, r.n_anchor, r.n_bytes])
    header = ["party", "rows", "dimensions", "of encoded columns", "anchor rows", "bytes"]
    text = (
        "Each party sent its rows and the anchor in fewer dimensions than it has columns, in a "
        "basis only it knows, and keyed pseudonyms of its rows. Bytes are those of the arrays, as "
        "they stand in the party's own ledger."
    )
    return Section("Who took part, and what arrived", [text, Table(header, rows)])


def joined_section(study: Study, analyst: Gathering, used: str) -> Section:
    """Say how many rows of each institution met, and how many were ``used``, a word for it."""
    rows: list[list[Cell]] = []
    for row, join in analyst.joins.items():
        sent = ", ".join(f"{n:,}" for n in join.sizes)
        unmatched = ", ".join(f"{n:,}" for n in join.n_unmatched)
        rows.append(
            [row, sent, unmatched, join.n_complete, join.n_rows - join.n_complete, join.n_rows]
        )
    header = [
        "row institution",
        "sent, by party",
        "not at every party",
        "at every party",
        "estimated in part",
        used,
    ]
    order = ", ".join(study.grid.columns)
    text = f"Rows of one institution meet by their pseudonyms. Parties in the order {order}."
    return Section("How rows met", [text, Table(header, rows)])
