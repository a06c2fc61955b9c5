"""The terms of a study of groups in words."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.collaboration.learning.groups.terms import Groups
from consilience.collaboration.wording import missing_party, noise
from consilience.report.agreement import agreement_section
from consilience.report.page import Cell, Section
from consilience.study.study import Study

__all__ = ["describe_groups"]


def describe_groups(study: Study) -> Section:
    """Write the agreement of a study of groups."""
    terms = study.of(Groups).learning
    lines: list[Sequence[Cell]] = [
        missing_party(study),
        [
            f"What each party of {terms.holder} sends",
            "how many rows of each class it has; no row, no class of one, no pseudonym",
        ],
        ["Noise on the counts", noise(terms, "two-sided geometric", "the counts are exact")],
        ["Classes", ", ".join(terms.classes)],
        ["Learning", "nothing yet: row institutions are grouped by their label mixes"],
        [
            f"What each party of {terms.holder} receives",
            "which institutions are grouped with which, the threshold, and the tree of merges, "
            "which tells how far apart groups are",
        ],
    ]
    return agreement_section(study, lines)
