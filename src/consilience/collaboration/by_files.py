"""A study of clusters by files: contributions in, labels out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import pairwise_distances_argmin

from consilience.by_files import Examined, Leaving, Letter, Outcome, Solution
from consilience.collaboration.aggregates import aggregate_counts
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.arrivals import joins_summary, joins_table
from consilience.collaboration.asking import ask
from consilience.collaboration.exchange import (
    account_of,
    audit_reduced,
    gather,
    leave,
    map_rows,
    read_reduction,
    sent_rows,
    take_answer,
)
from consilience.collaboration.exploration import exploration_table, explore
from consilience.collaboration.labelling import label_in_parts
from consilience.collaboration.party import Party
from consilience.collaboration.relations import further_columns
from consilience.collaboration.roles import analyst_of, party_of
from consilience.collaboration.separation import cluster_counts, tell_separation
from consilience.collaboration.terms import Clusters
from consilience.collaboration.wording import describe_clusters
from consilience.engines.engine import Engine
from consilience.exceptions import MessageError, StudyError
from consilience.messages import Answer
from consilience.report.coincidence import tell_coincidence
from consilience.report.page import Page
from consilience.sources.parts import NotInPartsError, comes_in_parts
from consilience.sources.source import Source
from consilience.study.id_faults import tell_shape
from consilience.study.participant import Participant
from consilience.study.pseudonym_index import PseudonymIndex
from consilience.study.rows import Rows, cluster_table
from consilience.study.study import Study
from consilience.study.table_parts import fits_in_parts

__all__ = ["CHOICES", "VERBS", "audit", "describe", "inquire", "read", "send", "solve"]

CHOICES = ("clusters", "method", "exploring", "engine")
VERBS = ("contribute", "ask", "analyse", "label", "report", "audit")


def send(me: Participant, source: Source) -> Leaving:
    """Make the contribution of a party from its table."""
    budget = me.study.of(Clusters).reduction.budget
    key, account = me.folder.read_key("column"), account_of(me, budget)
    party = party_of(me.study, me.name, key, me.draws("reduction"), account)
    return leave(me, party, me.read_rows_to_send(source))


def inquire(me: Participant, source: Source) -> Leaving:
    """Make the question of a party about rows that were not in its contribution."""
    account = account_of(me, me.study.of(Clusters).reduction.budget)
    party = party_of(me.study, me.name, me.folder.read_key("column"), budget=account)
    return ask(me, party, me.read_rows(source))


def solve(
    me: Participant,
    arrived: Sequence[Letter],
    newcomers: Sequence[str] = (),
    *,
    clusters: int | None = None,
    method: str | None = None,
    exploring: bool = False,
    engine: Engine | None = None,
) -> Solution:
    """Align and cluster what arrived, and answer every party.

    Parameters
    ----------
    me : Participant
    arrived : sequence of Letter
    newcomers : sequence of str
        None in a study of clusters.
    clusters, method : optional
        What the analyst chooses of what the study leaves to it.
    exploring : bool
        Answer nobody, and try every choice there is.
    engine : Engine, optional
        Where rows lie and how steps over them run; in memory by default.
    """
    if newcomers:
        raise StudyError("--newcomer is for studies that group institutions to learn.")
    study, terms = me.study, me.study.of(Clusters).clustering
    try:
        analyst = analyst_of(study, clusters, method, engine)
    except ValueError as error:
        raise StudyError(f"{error}.") from None
    answers, received, notes = gather(me, analyst, arrived)
    sizes = _sizes(analyst)
    explored = []
    if exploring:
        settings = terms.model_dump(include={"n_neighbors", "trim", "seed"})
        explored = explore(analyst.rows, terms.numbers, terms.methods, **settings)
    notes = [*notes, *tell_separation(cluster_counts(analyst))]

    def page() -> Page:
        from consilience.collaboration.analyst_page import analyst_page

        return analyst_page(study, analyst, received, explored)

    caption = f"cluster sizes: {', '.join(map(str, sizes))}"
    return Solution(
        [] if exploring else answers,
        {
            **joins_summary(analyst),
            "dimensions": analyst.rows.shape[1],
            "n_clusters": analyst.partition.n_clusters,
            "method": analyst.method,
            "cluster_sizes": sizes,
            **({"explored": [tried.to_dict() for tried in explored]} if exploring else {}),
        },
        exploration_table(explored)
        if exploring
        else replace(joins_table(analyst), caption=caption),
        page,
        notes,
        counts=lambda: aggregate_counts(analyst),
    )


def _sizes(analyst: Analyst) -> list[int]:
    sizes: list[int] = cluster_counts(analyst).sum(axis=0).tolist()
    return sizes


def read(
    me: Participant,
    answers: Sequence[Letter],
    source: Source,
    *,
    new: Source | None = None,
    page: bool = False,
    as_lines: bool = False,
    **unused: Any,
) -> Outcome:
    """Give the rows of a party their clusters, or new rows where the answer has a model.

    With `as_lines`, a large table is gone through in parts and written line by line.
    """
    answer, notes = take_answer(me, answers, Answer)
    party = party_of(me.study, me.name, me.folder.read_key("column"))
    party.resume(sent_rows(me, answer))
    party.receive(answer)
    most = max(me.study.of(Clusters).clustering.numbers)
    if answer.n_clusters > most:
        raise MessageError(
            f"the answer has {answer.n_clusters} clusters, and the study allows {most} at most."
        )
    further = answer.memberships is not None or answer.tree is not None
    in_parts = as_lines and comes_in_parts(source) and fits_in_parts(me.study, me.name)
    if in_parts and new is None and not page and not further:
        with suppress(NotInPartsError):
            return _outcome_as_lines(me, answer, source, notes)
    rows = me.read_rows(source, with_table=page)
    clusters, answered = label_rows(party, rows)
    more = further_columns(clusters, answered, answer.memberships, answer.tree)
    table = cluster_table(rows.ids, clusters).join(more)
    schema = me.study.schema_of(me.place.column)
    notes += tell_coincidence(rows.matrix, schema, clusters[rows.kept])
    if new is not None:
        table = _label_new_rows(me, new, answer)
    left_out = int(table["cluster"].isna().sum())
    if left_out:
        notes.append(
            f"{left_out} rows have no cluster: they were left out here, or some other party of "
            f"your row does not hold them. They are the empty ones in the file. "
            f"{tell_shape(rows.ids, int((clusters[rows.kept] < 0).sum()))}".rstrip()
        )
    sizes = table["cluster"].value_counts().sort_index()

    def make_page() -> Page:
        from consilience.collaboration.party_page import party_page

        return party_page(me.study, me.name, rows, clusters, answer, me.folder.ledger.entries())

    said = ", ".join(f"cluster {k}: {n}" for k, n in sizes.items())
    return Outcome(table, said, make_page, notes)


def _outcome_as_lines(
    me: Participant, answer: Answer, source: Source, notes: Sequence[str]
) -> Outcome:
    """Give the rows of a large table their clusters."""
    lines, more = label_in_parts(me, answer, source)
    sizes = np.bincount(lines.labels[lines.labels >= 0])
    said = ", ".join(f"cluster {k}: {n}" for k, n in enumerate(sizes) if n)

    def no_page() -> Page:
        raise StudyError("a page about a table needs all of it: it is not gone through in parts.")

    return Outcome(lines, said, no_page, [*notes, *more])


def label_rows(party: Party, rows: Rows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the cluster of each row of the table, -1 where the party's answer has none.

    Beside it, which row of the answer it is, -1 for none.
    """
    answer = party.answer
    assert answer is not None, "the party has received its answer"
    if answer.pseudonyms is None:
        raise MessageError("the answer names no rows; it does not belong to a study by files.")
    index = PseudonymIndex(answer.pseudonyms)
    if index.n_doubles:
        raise MessageError("the answer names a row twice.")
    places = index.find(rows.pseudonyms)
    if not (places >= 0).any():
        raise MessageError(
            "the answer names none of the rows of this table. Give the table that was "
            "contributed, and the row key it was contributed with."
        )
    answered = np.full(len(rows.ids), -1, dtype=np.int64)
    answered[rows.kept] = places
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[answered >= 0] = answer.labels[answered[answered >= 0]]
    return clusters, answered


def _label_new_rows(me: Participant, new: Source, answer: Answer) -> pd.DataFrame:
    """Label rows that were not in the study with the nearest centre of the answer."""
    if me.study.of(Clusters).clustering.methods != ("kmeans",):
        raise StudyError("new rows can be labelled at home after k-means, not after other methods.")
    reduction = read_reduction(me, answer)
    rows = me.read_rows(new)
    Z = map_rows(rows.matrix, answer, reduction)
    if answer.centers is None:
        raise MessageError("the answer has a map and no centres: it labels nothing.")
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = pairwise_distances_argmin(Z, answer.centers)
    return cluster_table(rows.ids, clusters)


def audit(study: Study, party: str, source: Source, **options: Any) -> Examined:
    """Attack what a party would contribute."""
    n_clusters = study.of(Clusters).clustering.n_clusters
    known = n_clusters if isinstance(n_clusters, int) else None
    return audit_reduced(study, party, source, n_clusters=known, clustered=True, **options)


describe = describe_clusters
