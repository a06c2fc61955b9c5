"""The pages of a study of summaries: a party's, and the analyst's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.messages import Summary
from consilience.report.page import Cell, Facts, Note, Page, Section, Table
from consilience.study.participant import Participant
from consilience.study.study import Study
from consilience.summaries.analyst import Analyst
from consilience.summaries.terms import Summaries
from consilience.summaries.wording import describe_summaries, promise

__all__ = ["summaries_analyst_page", "summaries_party_page"]


def summaries_analyst_page(study: Study, analyst: Analyst) -> Page:
    """Describe the clusters to the analyst, after it has solved."""
    arrived: list[list[Cell]] = [
        [party, len(s.centers), float(s.weights.sum())] for party, s in analyst.summaries.items()
    ]
    notes = [
        Note(f"Nothing came from {party}; the study was solved without.", warning=True)
        for party in analyst.missing
    ]
    return Page(
        title=study.name,
        subtitle="Report for the analyst",
        notice="Made from centres that stand for many rows: no row of any party ever came here.",
        sections=[
            Section("At a glance", [Facts([("clusters", len(analyst.centers))]), *notes]),
            _clusters(study, analyst.centers, analyst.sizes, analyst.errors),
            Section("What arrived", [Table(["party", "centres", "rows they stand for"], arrived)]),
            describe_summaries(study),
        ],
    )


def summaries_party_page(me: Participant, answer: Summary, sizes: npt.NDArray[np.int64]) -> Page:
    """Describe to a party the clusters, its own rows in them, and what it has spent.

    Parameters
    ----------
    me : Participant
    answer : Summary
        Verified.
    sizes : ndarray of shape (n_clusters,)
        How many of its rows are in each cluster.
    """
    own: list[list[Cell]] = [[f"cluster {k}", int(n)] for k, n in enumerate(sizes)]
    lines: list[list[Cell]] = [
        [str(e["when"]), str(e["what"]), e.get("epsilon"), e.get("file")]
        for e in me.folder.ledger.entries()
        if e["what"] in ("charge", "contribution")
    ]
    header = ["when", "what", "epsilon per person", "file"]
    return Page(
        title=me.study.name,
        subtitle=f"Report for {me.name}",
        notice="For your institution alone: it counts your rows, without noise.",
        sections=[
            Section("Your rows", [Table(["cluster", "rows"], own)]),
            _clusters(
                me.study,
                answer.centers,
                answer.weights,
                np.zeros(len(sizes)) if answer.errors is None else answer.errors,
            ),
            Section(
                "What you sent",
                [promise(me.study.of(Summaries).summaries), Table(header, lines)],
            ),
            describe_summaries(me.study),
        ],
        private=True,
    )


def _clusters(
    study: Study,
    centers: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
) -> Section:
    """Tabulate the clusters: a column each, since a table has more columns than clusters."""
    names = study.schema_of(study.grid.columns[0]).feature_names
    header = ["column", *(f"cluster {k}" for k in range(len(centers)))]
    rows: list[list[Cell]] = [
        ["rows, of all parties", *(round(float(n)) for n in sizes)],
        ["± two standard deviations of the noise", *(round(2 * float(e)) for e in errors)],
    ]
    for name, column in zip(names, centers.T, strict=True):
        rows.append([name, *map(float, column)])
    return Section("The clusters", [Table(header, rows, caption="Centres in the units you gave.")])
