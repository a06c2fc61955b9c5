"""A party's page where institutions were grouped by label counts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consilience.collaboration.clustered.figure import draw_dendrogram
from consilience.collaboration.clustered.grouping import members_of
from consilience.messages import Grouping
from consilience.report.figures import report_style, to_svg
from consilience.report.page import Facts, Figure, Page, Part, Section, Table
from consilience.report.terms import describe_terms
from consilience.study.study import Study

__all__ = ["grouping_page"]


@report_style()
def grouping_page(
    study: Study,
    name: str,
    groups: Mapping[str, int],
    answer: Grouping,
    ledger: Sequence[Mapping[str, Any]],
) -> Page:
    """Describe to a party who has a label mix like its own.

    Parameters
    ----------
    study : Study
    name : str
        The party, ``"row/column"``.
    groups : mapping of str to int
        The group of each row institution that took part.
    answer : Grouping
        Verified.
    ledger : sequence of mappings
        Entries of its ledger.
    """
    own, members = name.partition("/")[0], members_of(groups)
    partners = [row for row in members[groups[own]] if row != own]
    facts: list[tuple[str, str | int | float | None]] = [
        ("your group", groups[own]),
        ("with", ", ".join(partners) or "nobody: learn at home, nothing more need leave"),
        ("distance at which groups are cut", f"{answer.threshold:g}"),
    ]
    parts: list[Part] = [
        "Institutions of a group have label mixes no farther apart than that, unless one joined "
        "later and took the nearest group.",
        Facts(facts),
        Table(["group", "institutions"], [[g, ", ".join(m)] for g, m in enumerate(members)]),
    ]
    if 0 < len(answer.tree) == len(groups) - 1:
        figure = draw_dendrogram(answer.tree, list(groups), answer.threshold)
        words = "; ".join(f"group {g}: {', '.join(m)}" for g, m in enumerate(members))
        parts.insert(2, Figure(to_svg(figure), alt=f"A tree of institutions. {words}."))
    sent = [e for e in ledger if e.get("study") == study.digest and e.get("what") == "contribution"]
    lines = [[str(e.get("file")), e.get("classes"), _spent(e)] for e in sent]
    return Page(
        title=study.name,
        subtitle=f"Report for {name}",
        notice="This page holds no value of your table.",
        sections=[
            Section("Groups of institutions", parts),
            Section("What you sent", [Table(["file", "counts of classes", "epsilon"], lines)]),
            describe_terms(study),
        ],
        private=True,
    )


def _spent(entry: Mapping[str, Any]) -> str:
    return f"{entry['epsilon']:g}" if "epsilon" in entry else "no noise"
