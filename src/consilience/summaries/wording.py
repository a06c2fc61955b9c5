"""The terms of a study of summaries in words, and the sentence an officer may copy."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.report.agreement import agreement_section
from consilience.report.page import Cell, Section
from consilience.study.study import Study
from consilience.summaries.terms import Summaries, SummaryTerms

__all__ = ["describe_summaries", "promise"]

SENDS = {
    True: "centres of its rows, about how many rows each stands for, and how far noise may move "
    "that number",
    False: "means of its rows, each over some that lie close together, and over how many",
}
RECEIVES = "the centres and sizes of the clusters; it labels its rows at home"


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
        ["What is promised of every person", promise(terms)],
        ["Rows of one person", f"at most {terms.rows_per_person} in the table of a party"],
    ]
    if terms.noisy:
        limit = "no limit" if terms.budget is None else f"{terms.budget:g}"
        lines.append(["Budget of a person, over everything sent", limit])
    clusters = "2 to 10, by silhouette" if terms.n_clusters == "auto" else str(terms.n_clusters)
    lines += [["Clusters", clusters], ["What each party receives", RECEIVES]]
    return agreement_section(study, lines)


def promise(terms: SummaryTerms) -> str:
    """Say what is promised, as one sentence.

    Examples
    --------
    >>> print(promise(SummaryTerms(guarantee="k-anonymous", min_rows=10)))
    No record leaves the institution: every number sent is a mean over at least 10 persons.
    """
    start = "No record leaves the institution: "
    groups = f"at least {terms.min_rows} persons"
    if not terms.noisy:
        return f"{start}every number sent is a mean over {groups}."
    text = (
        f"{start}what is sent is ({terms.epsilon:g}, {terms.delta:g})-differentially private for "
        f"each person, so that it would be nearly as likely had the person not taken part"
    )
    if terms.counted:
        text += f"; and every centre stands for {groups}, but for a chance of 1 in 30,000 each"
    return f"{text}."
