"""The pages of a continual study: the network round by round, and what a party sent and spent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consilience.continual.analyst import Analyst
from consilience.continual.history import Round, Snapshot
from consilience.continual.network_figure import draw_network
from consilience.continual.party import Party
from consilience.continual.terms import Stream
from consilience.continual.wording import describe_stream
from consilience.privacy.budget import Budget
from consilience.report.page import Cell, Facts, Figure, Note, Page, Part, Section, Table
from consilience.study.study import Study

__all__ = ["rounds_section", "stream_analyst_page", "stream_party_page"]

SHOWN_ROUNDS = 20


def stream_analyst_page(study: Study, analyst: Analyst) -> Page:
    """Describe the lasting clustering to the analyst, after at least one round."""
    facts = Facts(
        [
            ("rounds", analyst.rounds),
            ("clusters", analyst.clusters.n_clusters),
            ("nodes", analyst.network.n_nodes),
            ("edges", len(analyst.network.edges())),
        ]
    )
    epsilon = study.of(Stream).stream.epsilon
    rows: list[list[Cell]] = [
        [name, party.windows, len(party.ids), None if epsilon is None else party.windows * epsilon]
        for name, party in analyst.received.items()
    ]
    header = ["party", "windows", "nodes held", "epsilon spent per record"]
    parts: list[Part] = [Table(header, rows)]
    if epsilon is None:
        parts.append(Note("The study asks for no noise: most nodes are rows.", warning=True))
    else:
        parts.insert(0, "Spent is the sum over the windows that arrived, as the terms charge them.")
    return Page(
        title=study.name,
        subtitle="Report for the analyst",
        notice="For the analyst alone: it shows where the parties' nodes lie.",
        sections=[
            Section("Outcome", [facts]),
            rounds_section(analyst.history.rounds, analyst.history.snapshots),
            Section("What arrived", parts),
            describe_stream(study),
        ],
        private=True,
    )


def rounds_section(rounds: Sequence[Round], snapshots: Sequence[Snapshot]) -> Section:
    """Show nodes, edges and clusters over the rounds, and what became of each cluster.

    The snapshots are of the last of these rounds; there may be none.

    Examples
    --------
    >>> rounds_section([], []).title
    'Round after round'
    """
    parts: list[Part] = ["A cluster keeps its name from round to round; no name is given twice."]
    if snapshots:
        words = "; ".join(
            f"round {s.number}: {len(s.nodes)} nodes, {len(s.edges)} edges, "
            f"{len(np.unique(s.labels))} clusters"
            for s in snapshots
        )
        panels = [(f"round {s.number}", s.nodes, s.edges, s.labels) for s in snapshots]
        parts.append(
            Figure(
                draw_network(panels),
                alt=f"The analyst's network after the last rounds. {words}.",
                caption="Nodes and edges in the two directions in which the nodes of all rounds "
                "shown differ most, the same directions and scale in every panel. Colour and "
                "marker stand for the cluster; the largest ones bear their names.",
            )
        )
    elif rounds:
        parts.append(Note("No picture is kept: a party has withdrawn its nodes since."))
    rows = [_row(r) for r in rounds[-SHOWN_ROUNDS:]]
    if rows:
        header = ["round", "nodes in", "nodes", "edges", "clusters"]
        news = ["births", "splits", "merges", "deaths"]
        caption = "A split 5 < 2 is cluster 5 out of 2, a merge 5 > 2 is cluster 5 gone into 2."
        if len(rounds) > SHOWN_ROUNDS:
            caption += f" The last {SHOWN_ROUNDS} of {len(rounds)} rounds."
        parts.append(Table(header + news, rows, caption))
    return Section("Round after round", parts)


def stream_party_page(
    study: Study,
    party: Party,
    budget: Budget,
    *,
    sent: tuple[int, int] | None = None,
    labels: npt.NDArray[np.int64] | None = None,
) -> Page:
    """Describe to a party what it sent and spent, and the clusters of its rows.

    Parameters
    ----------
    study : Study
    party : Party
    budget : Budget
        What was spent on its records so far.
    sent : pair of int, optional
        Nodes of the last window, and how many of them equal a row of it.
    labels : ndarray of shape (n_rows,), optional
        Clusters of the rows it labelled.
    """
    items: list[tuple[str, Cell]] = [("windows", party.window), ("nodes", party.network.n_nodes)]
    parts: list[Part] = []
    if sent is not None:
        items += [("nodes sent last", sent[0]), ("of these, equal to a row", sent[1])]
        if sent[1]:
            text = f"{sent[1]} of the {sent[0]} nodes of the last window are rows of your table."
            parts.append(Note(text, warning=True))
    sections = [Section("What left", [Facts(items), *parts]), _spent(study, budget)]
    if labels is not None and len(labels):
        sections.insert(0, _sizes(labels))
    return Page(
        title=study.name,
        subtitle=f"Report for {party.name}",
        notice="For your institution alone.",
        sections=[*sections, describe_stream(study)],
        private=True,
    )


def _spent(study: Study, budget: Budget) -> Section:
    if study.of(Stream).stream.epsilon is None:
        note = Note("The study asks for no noise: no privacy is claimed.", warning=True)
        return Section("What was spent", [note])
    total = 0.0
    rows: list[list[Cell]] = []
    for charge in budget.charges:
        total += charge.epsilon
        rows.append([charge.purpose, charge.epsilon, total])
    limit = budget.limit
    text = "The study sets no limit." if limit is None else f"The limit is {limit:g} per record."
    header = ["release", "epsilon per record", "together"]
    return Section("What was spent", [text, Table(header, rows[-SHOWN_ROUNDS:])])


def _sizes(labels: npt.NDArray[np.int64]) -> Section:
    names, sizes = np.unique(labels, return_counts=True)
    rows: list[list[Cell]] = [[f"cluster {k}", int(n)] for k, n in zip(names, sizes, strict=True)]
    return Section("Your rows", [Table(["cluster", "rows"], rows)])


def _row(r: Round) -> list[Cell]:
    news = r.succession
    texts = [
        ", ".join(str(k) for k in news.births),
        ", ".join(f"{new} < {old}" for new, old in news.splits),
        ", ".join(f"{old} > {new}" for old, new in news.merges),
        ", ".join(str(k) for k in news.deaths),
    ]
    counts: list[Cell] = [str(r.number), r.n_received, r.n_nodes, r.n_edges, r.n_clusters]
    return [*counts, *(text or None for text in texts)]
