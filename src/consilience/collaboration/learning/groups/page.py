"""The pages of a study that groups institutions by label counts alone: a party's, the analyst's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from consilience.collaboration.arrivals import ASK, Received
from consilience.collaboration.learning.grouping import members_of
from consilience.collaboration.learning.groups.figure import draw_dendrogram
from consilience.collaboration.learning.groups.grouping_analyst import GroupingAnalyst
from consilience.collaboration.learning.groups.terms import Groups
from consilience.collaboration.learning.groups.wording import describe_groups
from consilience.collaboration.sent import Ledger, sent_section
from consilience.holdings import Place
from consilience.messages import Grouping
from consilience.report.figures import report_style, to_svg
from consilience.report.page import Cell, Facts, Figure, Note, Page, Part, Section, Table
from consilience.study.study import Study

__all__ = ["grouping_analyst_page", "grouping_page"]

Matrix = npt.NDArray[np.float64]

FEW_ROWS = 30
SENT = {"classes": "counts of classes", "epsilon": "epsilon of their noise"}
RULE = (
    "Institutions of a group have label mixes no farther apart than the distance at which groups "
    "are cut, unless one joined later and took the nearest group."
)


@report_style()
def grouping_page(
    study: Study,
    name: str,
    groups: Mapping[str, int],
    answer: Grouping,
    ledger: Ledger,
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
    own, members = Place.of(name).row, members_of(groups)
    partners = [row for row in members[groups[own]] if row != own]
    facts: list[tuple[str, str | int | float | None]] = [
        ("your group", groups[own]),
        ("with", ", ".join(partners) or "nobody: learn at home, nothing more need leave"),
        ("distance at which groups are cut", f"{answer.threshold:g}"),
    ]
    parts = [RULE, Facts(facts), *_groups(groups, answer.tree, answer.threshold)]
    return Page(
        title=study.name,
        subtitle=f"Report for {name}",
        notice="This page holds no value of your table.",
        sections=[
            Section("Groups of institutions", parts),
            sent_section(study, ledger, SENT),
            describe_groups(study),
        ],
        private=True,
    )


@report_style()
def grouping_analyst_page(
    study: Study, analyst: GroupingAnalyst, received: Sequence[Received]
) -> Page:
    """Describe to the analyst which institutions have alike label mixes.

    Parameters
    ----------
    study : Study
    analyst : GroupingAnalyst
        After it has solved.
    received : sequence of Received
        One per party that sent its counts.
    """
    terms = study.of(Groups).learning
    facts: list[tuple[str, Cell]] = [
        ("institutions", len(analyst.groups)),
        ("groups", len(set(analyst.groups.values()))),
        ("distance at which groups are cut", f"{analyst.threshold:g}"),
        ("bytes received", sum(r.n_bytes for r in received)),
        ("noise", f"epsilon {terms.epsilon:g} per record" if terms.epsilon else "none"),
    ]
    notes = [Note(text, warning=True) for text in _warnings(analyst)]
    mixes: list[list[Cell]] = [
        [row, group, *(int(n) for n in counts), *(f"{share:.0%}" for share in mix)]
        for (row, group), counts, mix in zip(
            analyst.groups.items(), analyst.counts, analyst.distributions, strict=True
        )
    ]
    classes = sorted(terms.classes)
    head = ["institution", "group", *(f"rows {c}" for c in classes), *classes]
    told = "Counts as they arrived: noise may make one negative." if terms.epsilon else ""
    return Page(
        title=study.name,
        subtitle="Report for the analyst",
        notice=f"Made from counts of classes: no row of any party ever came here. {ASK}",
        sections=[
            Section("At a glance", [Facts(facts), *(notes or [Note("Nothing to warn of.")])]),
            Section(
                "Groups of institutions",
                [RULE, *_groups(analyst.groups, analyst.tree, analyst.threshold)],
            ),
            Section("Label mixes", [Table(head, mixes, caption=told)]),
            describe_groups(study),
        ],
    )


def _warnings(analyst: GroupingAnalyst) -> list[str]:
    """Say who is missing or alone, and whose mix rests on little."""
    texts = []
    if analyst.missing:
        texts.append(f"Nothing came from {', '.join(analyst.missing)}.")
    members = members_of(analyst.groups)
    alone = [group[0] for group in members if len(group) == 1]
    if alone:
        texts.append(f"Alone in a group, with nobody to learn with: {', '.join(alone)}.")
    if len(members) == 1 and len(analyst.groups) > 1:
        texts.append("All institutions are in one group: their label mixes tell none apart.")
    rows = zip(analyst.groups, np.sum(analyst.counts, axis=1), strict=True)
    few = [f"{row} ({int(n)})" for row, n in rows if n < FEW_ROWS]
    if few:
        texts.append(
            f"Few rows have a class at {', '.join(few)}: a label mix of fewer than {FEW_ROWS} rows "
            f"rests on little, and with it the group."
        )
    return texts


def _groups(groups: Mapping[str, int], tree: Matrix, threshold: float) -> list[Part]:
    members = members_of(groups)
    table = Table(["group", "institutions"], [[g, ", ".join(m)] for g, m in enumerate(members)])
    if not 0 < len(tree) == len(groups) - 1:  # newcomers are not in the tree
        return [table]
    words = "; ".join(f"group {g}: {', '.join(m)}" for g, m in enumerate(members))
    figure = to_svg(draw_dendrogram(tree, list(groups), threshold))
    return [Figure(figure, alt=f"A tree of institutions. {words}."), table]
