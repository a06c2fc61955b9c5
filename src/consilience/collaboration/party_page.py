"""A party's page: what it sent, its own rows by cluster, and what sets the clusters apart.

Profiles are statistics of the party's own table, in its own units. The page stays at the party;
its file is readable by its owner alone. Neither row ids nor pseudonyms appear on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.collaboration.relations import relations_section
from consilience.collaboration.sent import Ledger, last_contribution, risk_notes, sent_section
from consilience.collaboration.terms import Clusters
from consilience.collaboration.wording import describe_clusters
from consilience.holdings import Place
from consilience.messages import Answer
from consilience.report.coincidence import tell_coincidence
from consilience.report.figures import draw_map, draw_profiles, draw_sizes, sample
from consilience.report.page import Facts, Figure, Note, Page, Part, Section, Table
from consilience.report.profile import ColumnProfile, profile_columns
from consilience.study.pseudonym_index import PseudonymIndex
from consilience.study.rows import Rows
from consilience.study.study import Study

__all__ = ["party_page"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

TINY_ROWS = 10
SHOWN_COLUMNS = 20
"""Columns that the picture, and the table of each cluster, show at most."""


def party_page(
    study: Study,
    name: str,
    rows: Rows,
    clusters: Labels,
    answer: Answer,
    ledger: Ledger,
) -> Page:
    """Describe the outcome of a study to one of its parties.

    Parameters
    ----------
    study : Study
    name : str
        The party, ``"row/column"``.
    rows : Rows
        Its rows as the study takes them, with the table.
    clusters : ndarray of shape (n_rows,)
        The cluster of each row of the table, -1 for none.
    answer : Answer
        Verified.
    ledger : sequence of mappings
        Entries of its ledger; those of other studies are not shown.
    """
    assert rows.table is not None, "the rows were read with their table"
    sizes = np.bincount(clusters[clusters >= 0], minlength=answer.n_clusters)
    sections = [
        _summary(study, name, rows, clusters, answer, last_contribution(study, ledger)),
        _clusters(rows, clusters, sizes, answer),
        *relations_section(sizes.tolist(), answer.memberships, answer.tree),
        *_profiles(study, name, rows.table, clusters, sizes),
        sent_section(study, ledger),
        _new_rows(study, name, answer),
        describe_clusters(study),
    ]
    return Page(
        title=study.name,
        subtitle=f"Report for {name}",
        notice="This page holds statistics of your own table. It is yours: keep it in your house.",
        sections=sections,
        private=True,
    )


def _summary(
    study: Study,
    name: str,
    rows: Rows,
    clusters: Labels,
    answer: Answer,
    last: Mapping[str, Any],
) -> Section:
    facts = Facts(
        [
            ("rows in your table", len(clusters)),
            ("rows with a cluster", int((clusters >= 0).sum())),
            ("clusters in the study", answer.n_clusters),
            ("dimensions you sent", last.get("dimensions")),
            ("bytes you sent", last.get("bytes")),
        ]
    )
    texts = _row_warnings(rows, clusters, answer)
    sizes = np.bincount(clusters[clusters >= 0], minlength=answer.n_clusters)
    tiny = [f"{k} ({n})" for k, n in enumerate(sizes) if 0 < n < TINY_ROWS]
    if tiny:
        texts.append(
            f"Few of your rows are in cluster {', '.join(tiny)}: their profiles say little, and "
            f"could point to single persons if you passed them on."
        )
    empty = [str(k) for k, n in enumerate(sizes) if n == 0]
    if empty:
        texts.append(f"None of your rows is in cluster {', '.join(empty)}.")
    schema = study.schema_of(Place.of(name).column)
    texts += tell_coincidence(rows.matrix, schema, clusters[rows.kept])
    if not last:
        texts.append("Your ledger has no contribution to this study: is it the right folder?")
    notes = [Note(text, warning=True) for text in texts]
    notes += risk_notes(study, name, last)
    return Section("At a glance", [facts, *(notes or [Note("Nothing to warn of.")])])


def _row_warnings(rows: Rows, clusters: Labels, answer: Answer) -> list[str]:
    """Say which rows have no cluster, in counts, by reason."""
    texts = [note[:1].upper() + note[1:] for note in rows.notes]
    assert answer.pseudonyms is not None
    n_new = int((PseudonymIndex(answer.pseudonyms).find(rows.pseudonyms) < 0).sum())
    if n_new:
        texts.append(
            f"{n_new:,} rows of your table are not in the answer: the table has changed since you "
            f"contributed. They have no cluster."
        )
    n_gone = len(answer.pseudonyms) - (len(rows.pseudonyms) - n_new)
    if n_gone:
        texts.append(f"{n_gone:,} rows you contributed are no longer in your table.")
    n_without = int((clusters[rows.kept] < 0).sum()) - n_new
    if n_without:
        texts.append(
            f"{n_without:,} rows you contributed have no cluster: another party of your rows does "
            f"not hold them, or the method calls them noise. In the file of labels they are empty."
        )
    return texts


def _clusters(
    rows: Rows, clusters: Labels, sizes: npt.NDArray[np.int64], answer: Answer
) -> Section:
    n_rows = len(clusters)
    counts: list[list[str | int]] = [
        [f"cluster {k}", int(n), f"{n / n_rows:.1%}"] for k, n in enumerate(sizes)
    ]
    without = int((clusters < 0).sum())
    if without:
        counts.append(["no cluster", without, f"{without / n_rows:.1%}"])
    parts: list[Part] = []
    if len(sizes):
        alt = "; ".join(f"cluster {k}: {n:,} rows" for k, n in enumerate(sizes))
        parts.append(Figure(draw_sizes(sizes[None, :], ["your rows"]), alt=f"Bars. {alt}."))
    parts.append(Table(["cluster", "your rows", "share"], counts))
    parts.append(_own_picture(rows, clusters))
    parts += _shared_picture(answer)
    return Section("Your rows by cluster", parts)


def _own_picture(rows: Rows, clusters: Labels) -> Figure:
    n_rows, width = rows.matrix.shape
    shown = sample(n_rows)
    X = rows.matrix[shown]
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Figure(
        draw_map(X, clusters[rows.kept][shown], "your columns"),
        alt=f"Scatter of {len(shown):,} of your rows in two directions, coloured by cluster.",
        caption=f"Your own columns ({width} encoded, each divided by its standard deviation) in "
        f"the two directions in which they vary most: {_part(len(shown), n_rows)} rows. Clusters "
        f"were found with the columns of all parties, so they may overlap in yours.",
    )


def _shared_picture(answer: Answer) -> list[Part]:
    """Draw the shared coordinates, where the study gives them."""
    if answer.representation is None or not (answer.labels >= 0).any():
        return []
    inside = np.flatnonzero(answer.labels >= 0)
    shown = inside[sample(len(inside))]
    labels = answer.labels[shown].astype(np.int64)
    svg = draw_map(answer.representation[shown], labels, "the shared representation")
    return [
        Figure(
            svg,
            alt=f"Scatter of {len(shown):,} of your rows in the shared representation.",
            caption="Your rows in the shared representation, to which the other parties "
            f"contributed: {_part(len(shown), len(inside))} rows with a cluster.",
        )
    ]


def _part(n_shown: int, n_rows: int) -> str:
    return f"a random sample of {n_shown:,} of {n_rows:,}" if n_shown < n_rows else "all"


def _profiles(
    study: Study,
    name: str,
    table: pd.DataFrame,
    clusters: Labels,
    sizes: npt.NDArray[np.int64],
) -> list[Section]:
    columns = study.schemas[Place.of(name).column]
    profiles = profile_columns(table, clusters, columns, len(sizes))
    if not profiles or not sizes.any():
        return []
    differences = np.array([[p.difference for p in column] for column in profiles]).T
    told = np.nan_to_num(np.abs(differences)).max(axis=1)
    order = np.argsort(-told, kind="stable")[:SHOWN_COLUMNS]
    text = (
        "Each cluster against the rest of your rows that have a cluster, on your own columns in "
        "their own units, the most telling first. The difference is that of the means, in standard "
        "deviations of the column: beyond ±0.8 it is large, within ±0.2 small. A quarter of the "
        "rows lies below the first of the quartiles, half below the second, three quarters below "
        "the third. Of an ordered category the mean is that of places, counted from 0. Missing "
        "values are left aside."
    )
    parts: list[Part] = [text]
    present = np.flatnonzero(sizes)
    if len(present) > 1:
        names = [profiles[0][i].name for i in order]
        several = "" if len(order) == len(told) else f" The {len(order)} most telling are shown."
        parts.append(
            Figure(
                draw_profiles(differences[np.ix_(order, present)], names, present.tolist()),
                alt="Standardised difference of each cluster from the rest, by column; the tables "
                "below give the numbers.",
                caption=f"Red: higher than in the rest. Blue: lower.{several}",
            )
        )
    else:
        parts.append(Note("All of your rows are in one cluster: there is no rest to compare with."))
    sections = [Section("What sets the clusters apart", parts)]
    for k, profile in enumerate(profiles):
        if sizes[k]:
            sections.append(_profile(k, int(sizes[k]), profile))
    return sections


def _profile(k: int, size: int, profile: list[ColumnProfile]) -> Section:
    ranked = sorted(profile, key=lambda p: -np.nan_to_num(abs(p.difference)))
    rows = [
        [
            p.name,
            None if np.isnan(p.difference) else f"{p.difference:+.2f}".replace("-", "−"),
            *(p.inside[0] or None, p.rest[0] or None),
            *(p.inside[1] or None, p.rest[1] or None),
        ]
        for p in ranked[:SHOWN_COLUMNS]
    ]
    header = [
        "column",
        "difference",
        "mean or share",
        "of the rest",
        "quartiles",
        "of the rest",
    ]
    parts: list[Part] = [Table(header, rows)]
    if len(ranked) > SHOWN_COLUMNS:
        parts.append(f"{len(ranked) - SHOWN_COLUMNS} more columns differ less than these.")
    return Section(f"Cluster {k}: {size:,} of your rows", parts, level=3)


def _new_rows(study: Study, name: str, answer: Answer) -> Section:
    """Say whether rows that come later can be labelled here, and if not, why."""
    if answer.linear is None:
        text = (
            "Only the rows you contributed have a cluster: the study hands out no model. To label "
            "new rows, agree on answer = 'model', or contribute again to a new study."
        )
    elif study.of(Clusters).clustering.methods != ("kmeans",):
        text = (
            "New rows cannot be labelled here: that works after k-means, not after other methods."
        )
    elif len(answer.linear) != study.of(Clusters).n_components(study, Place.of(name).column):
        text = (
            "New rows cannot be labelled at home: other parties hold columns of your rows. All of "
            "you may run consilience ask on them."
        )
    else:
        text = "You hold all columns of your rows and the model: consilience label --new-data "
        text += "gives new rows their cluster, without asking anybody."
    return Section("New rows", [text])
