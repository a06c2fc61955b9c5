"""The terms of a continual study in words."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.continual.terms import Stream
from consilience.privacy.stand_ins import DELTA
from consilience.report.agreement import agreement_section
from consilience.report.page import Cell, Section
from consilience.study.study import Study

__all__ = ["describe_stream"]

ANSWERS = {
    "labels": "the clusters of its own nodes",
    "nodes": "the clusters of its own nodes, and the analyst's nodes",
}


def describe_stream(study: Study) -> Section:
    """Write the agreement of a continual study."""
    terms = study.of(Stream).stream
    noise = "none" if terms.epsilon is None else f"Laplace, epsilon {terms.epsilon:g} per record"
    if terms.noise == "centers":
        noise = (
            f"Gaussian, on centres that stand in for the rows: epsilon {terms.epsilon:g}, delta "
            f"{terms.delta or DELTA:g} per record"
        )
    lines: list[Sequence[Cell]] = [
        [
            "What each party sends",
            "after every window, its nodes that are new or have moved, how many rows each won, and "
            "numbers by which it knows them",
        ],
        ["Noise in every window", noise],
        ["Budget of a record", "no limit" if terms.budget is None else f"{terms.budget:g}"],
        ["A party that sends nothing", "is waited for by nobody: it joins in when it sends"],
        ["Profile", terms.profile],
        ["What each party receives", ANSWERS[terms.answer]],
    ]
    return agreement_section(study, lines)
