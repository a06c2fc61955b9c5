"""The terms of a study of summaries in words."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.report.agreement import agreement_section
from consilience.report.page import Cell, Section
from consilience.study.study import Study
from consilience.summaries.terms import Summaries

__all__ = ["describe_summaries"]

SENDS = {
    True: "centres of its rows, about how many rows each stands for, and how far noise may move "
    "that number",
    False: "means of its rows, each over some that lie close together, and over how many",
}
RECEIVES = {
    False: "the centres, sizes and lasting names of the clusters; it labels its rows at home",
    True: "the centres of all parties with their classes; it learns from them at home",
}
SCALINGS = {
    "bounds": "the width of their public bounds, or what the study says counts as 1",
    "spread": "their public spreads, two to either side of the centre; a categorical one counts as "
    "a whole",
}
SPREAD = ", and how far each spreads in every direction"


def describe_summaries(study: Study) -> Section:
    """Write the agreement of a study of summaries."""
    terms = study.of(Summaries).summaries
    waits = study.grid.missing_party == "refuse"
    lines: list[Sequence[Cell]] = [
        [
            "A party that sends nothing",
            "stops the study: nothing is solved without it"
            if waits
            else "is left out: the others go on",
        ],
        ["What each party sends", SENDS[terms.noisy]],
        ["What is promised of every person", terms.promise],
        ["Rows of one person", f"at most {terms.rows_per_person} in the table of a party"],
    ]
    lines.append(["Units of the columns", SCALINGS[terms.scaling]])
    if terms.noisy:
        limit = "no limit" if terms.budget is None else f"{terms.budget:g}"
        lines.append(["Budget of a person, over everything sent", limit])
    if terms.classes is not None:
        lines.append(["Classes", f"{', '.join(terms.classes)} ({terms.target})"])
    else:
        number = (
            "1 to 10, by what other institutions confirm"
            if terms.n_clusters == "auto"
            else str(terms.n_clusters)
        )
        lines.append(["Clusters", f"{number}{'; Gaussians of any shape' if terms.mixture else ''}"])
    received = RECEIVES[terms.classes is not None]
    lines.append(["What each party receives", received + (SPREAD if terms.mixture else "")])
    return agreement_section(study, lines)
