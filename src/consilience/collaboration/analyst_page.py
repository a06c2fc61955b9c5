"""The analyst's page: who took part, what arrived, how it was joined, and the clusters.

The analyst holds no column of anybody: the page shows counts, sizes and the shared representation,
and neither pseudonyms nor a statistic of a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.metrics import silhouette_samples

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.arrivals import (
    ASK,
    NOTICE,
    Received,
    arrived_section,
    gaps,
    joined_section,
)
from consilience.collaboration.exploration import (
    SAMPLE_ROWS,
    Tried,
    exploration_table,
    standard_error,
    with_error,
)
from consilience.collaboration.relations import relations_section
from consilience.collaboration.separation import cluster_counts, tell_separation
from consilience.collaboration.terms import Clusters
from consilience.collaboration.wording import describe_clusters
from consilience.report.figures import draw_choice, draw_map, draw_sizes, sample
from consilience.report.page import Facts, Figure, Note, Page, Part, Section, Table
from consilience.study.study import Study

__all__ = ["analyst_page"]

Array = npt.NDArray[np.float64]

SILHOUETTE_ROWS = 3_000
LOW_SILHOUETTE = 0.25
"""Below it Kaufman and Rousseeuw (1990) speak of no substantial structure."""
TINY_ROWS, TINY_SHARE = 10, 0.01


@dataclass(frozen=True, eq=False)
class _Quality:
    """Mean silhouette of a sample of the rows; NaN where there is nothing to compare."""

    overall: float
    error: float | None
    by_cluster: Array
    n_rows: int
    sampled: bool


def analyst_page(
    study: Study,
    analyst: Analyst,
    received: Sequence[Received],
    explored: Sequence[Tried] = (),
) -> Page:
    """Describe a solved study of clusters to its analyst.

    Parameters
    ----------
    study : Study
    analyst : Analyst
        After it has solved.
    received : sequence of Received
        One per contribution.
    explored : sequence of Tried
        What else the analyst may choose, where it was looked at.
    """
    quality = _quality(analyst)
    sections = [
        _summary(study, analyst, received, quality),
        _clusters(analyst, quality),
        *relations_section(
            cluster_counts(analyst).sum(axis=0).tolist(),
            analyst.partition.memberships,
            analyst.partition.tree,
        ),
        *_choice(study, analyst),
        *_explored(study, explored),
        arrived_section(study, received),
        joined_section(study, analyst, "clustered"),
        describe_clusters(study),
    ]
    return Page(
        title=study.name,
        subtitle="Report for the analyst",
        notice=f"{NOTICE} It shows counts and a picture of the shared representation. {ASK}",
        sections=sections,
    )


def _summary(
    study: Study, analyst: Analyst, received: Sequence[Received], quality: _Quality
) -> Section:
    said = with_error(quality.overall, quality.error)
    facts = Facts(
        [
            ("parties", f"{len(received)} of {len(study.grid.parties)}"),
            ("rows clustered", len(analyst.rows)),
            ("clusters", analyst.partition.n_clusters),
            ("mean silhouette", None if np.isnan(quality.overall) else said),
            ("bytes received", sum(r.n_bytes for r in received)),
        ]
    )
    notes = [
        *(Note(text, warning=True) for text in _weak_clusters(study, analyst, quality)),
        *gaps(study, analyst, received, analyst.rows.shape[1]),
    ]
    return Section("At a glance", [facts, *(notes or [Note("Nothing to warn of.")])])


def _weak_clusters(study: Study, analyst: Analyst, quality: _Quality) -> list[str]:
    texts = []
    sizes = cluster_counts(analyst).sum(axis=0)
    n_rows = len(analyst.rows)
    tiny = [k for k, n in enumerate(sizes) if n < TINY_ROWS or n < TINY_SHARE * n_rows]
    if tiny:
        named = ", ".join(f"{k} ({sizes[k]:,} rows)" for k in tiny)
        texts.append(
            f"Tiny clusters: {named}. They may be stray rows rather than a group, and a small "
            f"count can point to single persons."
        )
    lonely = [str(k) for k, n in enumerate(cluster_counts(analyst).T) if (n > 0).sum() == 1]
    if lonely and len(analyst.joins) > 1:
        texts.append(
            f"At one row institution alone: cluster {', '.join(lonely)}. Its rows may truly differ "
            f"from the others, or the institutions are not well aligned."
        )
    texts += tell_separation(cluster_counts(analyst))
    if quality.overall < LOW_SILHOUETTE:
        why = (
            " Spectral clusters need not be round, and the silhouette measures roundness."
            if analyst.method in ("spectral", "landmarks")
            else " Try another number of clusters, or treat them as a cut through a continuum."
        )
        texts.append(
            f"The mean silhouette is {quality.overall:.2f}, below {LOW_SILHOUETTE}: the clusters "
            f"are hardly set apart.{why}"
        )
    n_noise = n_rows - int(sizes.sum())
    if n_noise:
        texts.append(f"{n_noise:,} rows belong to no cluster: the method calls them noise.")
    if analyst.partition.n_clusters == 1:
        texts.append("All rows are in one cluster: nothing was told apart.")
    return texts


def _clusters(analyst: Analyst, quality: _Quality) -> Section:
    sizes = cluster_counts(analyst)
    names = list(analyst.joins)
    n_rows = len(analyst.rows)
    totals = sizes.sum(axis=0)
    rows = [
        [
            f"cluster {k}",
            int(total),
            f"{total / n_rows:.1%}",
            *(int(n) for n in sizes[:, k]),
            None if np.isnan(quality.by_cluster[k]) else f"{quality.by_cluster[k]:.2f}",
        ]
        for k, total in enumerate(totals)
    ]
    table = Table(["cluster", "rows", "share", *names, "silhouette"], rows)
    measured = (
        f"Silhouettes are means over a random sample of {quality.n_rows:,} rows; after ± stands "
        f"the standard error of that of all clusters."
        if quality.sampled
        else "Silhouettes are means over all rows."
    )
    parts: list[Part] = []
    if len(totals):
        alt = "; ".join(f"cluster {k}: {n:,} rows" for k, n in enumerate(totals))
        parts += [Figure(draw_sizes(sizes, names), alt=f"Bars. {alt}."), table]
    parts.append(
        f"{measured} A silhouette near 1 is a cluster well apart from the others, near 0 one that "
        f"touches them, below 0 one whose rows lie closer to another."
    )
    parts.append(_picture(analyst))
    return Section("The clusters", parts)


def _picture(analyst: Analyst) -> Figure:
    n_rows, width = analyst.rows.shape
    shown = sample(n_rows)
    labels = analyst.partition.labels[shown]
    svg = draw_map(analyst.rows.take(shown), labels, "the shared representation")
    part = f"a random sample of {len(shown):,} of {n_rows:,}" if len(shown) < n_rows else "all"
    return Figure(
        svg,
        alt=f"Scatter of {len(shown):,} rows in two directions, coloured by "
        f"{analyst.partition.n_clusters} clusters.",
        caption=f"The shared representation ({width} dimensions) in the two directions in which "
        f"it varies most: {part} rows. Clusters that overlap here may be apart in the others.",
    )


def _choice(study: Study, analyst: Analyst) -> list[Section]:
    partition = analyst.partition
    if not partition.scores:
        return []
    criterion, best = partition.criterion, partition.n_clusters
    scores = {k: round(value, 3) for k, value in sorted(partition.scores.items())}
    said = ", ".join(f"{k} clusters {value:.3f}" for k, value in scores.items())
    text = (
        f"The study leaves the number of clusters to the data: by the {criterion} it is {best}, "
        f"one cluster unless another number is clearly better. Where neighbouring numbers score "
        f"nearly the same, the choice between them is yours."
    )
    return [
        Section(
            "How many clusters",
            [
                text,
                Figure(draw_choice(partition.scores, best, criterion), alt=f"Line. {said}."),
                Table(["clusters", criterion], [[str(k), f"{v:.3f}"] for k, v in scores.items()]),
            ],
        )
    ]


def _explored(study: Study, explored: Sequence[Tried]) -> list[Section]:
    if not explored:
        return []
    terms = study.of(Clusters).clustering
    text = (
        f"The parties agreed on {terms.n_clusters} clusters by {' or '.join(terms.methods)}. Each "
        f"choice was tried on up to {SAMPLE_ROWS:,} of the rows. `consilience analyse --clusters "
        f"NUMBER` answers with the one you take, and nobody contributes again."
    )
    stable = {t.n_clusters: t.stability for t in explored if t.stability is not None}
    parts: list[Part] = [text, exploration_table(explored)]
    if len(stable) > 1:
        said = ", ".join(f"{k} clusters {value:.2f}" for k, value in stable.items())
        best = max(stable, key=lambda k: stable[k])
        parts.insert(1, Figure(draw_choice(stable, best, "stability"), alt=f"Line. {said}."))
    return [Section("What you may choose", parts)]


def _quality(analyst: Analyst) -> _Quality:
    labels, n_inside = analyst.partition.labels, int(cluster_counts(analyst).sum())
    chosen = sample(n_inside, SILHOUETTE_ROWS)
    if n_inside < len(labels):
        chosen = np.flatnonzero(labels >= 0)[chosen]
    groups = labels[chosen]
    by_cluster = np.full(analyst.partition.n_clusters, np.nan)
    if not 2 <= len(np.unique(groups)) < len(groups):
        return _Quality(float("nan"), None, by_cluster, len(chosen), len(chosen) < n_inside)
    values = silhouette_samples(analyst.rows.take(chosen), groups)
    for k in np.unique(groups):
        by_cluster[k] = values[groups == k].mean()
    error = standard_error(values, n_inside)
    return _Quality(float(values.mean()), error, by_cluster, len(chosen), len(chosen) < n_inside)
