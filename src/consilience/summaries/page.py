"""The pages of a study of summaries: a party's, and the analyst's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.messages import Summary
from consilience.report.page import Cell, Facts, Note, Page, Section, Table
from consilience.study.participant import Participant
from consilience.study.study import Study
from consilience.summaries.analyst import Analyst
from consilience.summaries.classes import HomeModel
from consilience.summaries.terms import Summaries
from consilience.summaries.wording import describe_summaries

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
            Section("At a glance", [Facts([(_counted(study), len(analyst.sizes))]), *notes]),
            _found(study, analyst),
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
    names = np.arange(len(sizes)) if answer.names is None else answer.names
    own: list[list[Cell]] = [[f"cluster {k}", int(n)] for k, n in zip(names, sizes, strict=True)]
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
                names,
            ),
            _sent(me),
            describe_summaries(me.study),
        ],
        private=True,
    )


def summaries_class_page(me: Participant, model: HomeModel, counts: npt.NDArray[np.int64]) -> Page:
    """Describe to a party what it predicts of its rows, and how far that may be trusted.

    Parameters
    ----------
    me : Participant
    model : HomeModel
    counts : ndarray of shape (n_classes,)
        How many rows were given each class.
    """
    classes = me.study.of(Summaries).summaries.classes or ()
    own: list[list[Cell]] = [[name, int(n)] for name, n in zip(classes, counts, strict=True)]
    right = (
        "not known: no row of yours has a class" if model.right is None else f"{model.right:.1%}"
    )
    return Page(
        title=me.study.name,
        subtitle=f"Report for {me.name}",
        notice="For your institution alone: it counts your rows, without noise.",
        sections=[
            Section("Your rows", [Table(["predicted class", "rows"], own)]),
            Section(
                "The model",
                [
                    "Learnt here, and not sent to anybody. Rows of your own, which it had not "
                    "learnt from, chose between three kinds of model and what they learn from.",
                    Facts([("chosen", model.by), ("right on your own rows", right)]),
                ],
            ),
            _sent(me),
            describe_summaries(me.study),
        ],
        private=True,
    )


def _sent(me: Participant) -> Section:
    """Tell what left and what it cost."""
    lines: list[list[Cell]] = [
        [str(e["when"]), str(e["what"]), e.get("epsilon"), e.get("file")]
        for e in me.folder.ledger.entries()
        if e["what"] in ("charge", "contribution")
    ]
    header = ["when", "what", "epsilon per person", "file"]
    return Section("What you sent", [me.study.method.promise, Table(header, lines)])


def _counted(study: Study) -> str:
    return "clusters" if study.of(Summaries).summaries.classes is None else "classes"


def _found(study: Study, analyst: Analyst) -> Section:
    """Tabulate what the analyst found: clusters, or how many rows each class has."""
    classes = study.of(Summaries).summaries.classes
    if classes is None:
        names = analyst.named.names
        return _clusters(study, analyst.centers, analyst.sizes, analyst.errors, names)
    rows: list[list[Cell]] = [
        [name, round(float(n)), round(2 * float(e))]
        for name, n, e in zip(classes, analyst.sizes, analyst.errors, strict=True)
    ]
    header = ["class", "rows, of all parties", "± two standard deviations of the noise"]
    return Section("The classes", [Table(header, rows)])


def _clusters(
    study: Study,
    centers: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.float64],
    errors: npt.NDArray[np.float64],
    called: npt.NDArray[np.int64],
) -> Section:
    """Tabulate the clusters: a column each, since a table has more columns than clusters."""
    names = study.schema_of(study.grid.columns[0]).feature_names
    header = ["column", *(f"cluster {k}" for k in called)]
    rows: list[list[Cell]] = [
        ["rows, of all parties", *(round(float(n)) for n in sizes)],
        ["± two standard deviations of the noise", *(round(2 * float(e)) for e in errors)],
    ]
    for name, column in zip(names, centers.T, strict=True):
        rows.append([name, *map(float, column)])
    return Section("The clusters", [Table(header, rows, caption="Centres in the units you gave.")])
