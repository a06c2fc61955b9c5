"""The analyst's page of a study that learns: what arrived, the model, and how right it is.

The analyst knows the class of every row that was sent with one, and no column: the page shows
counts, and neither pseudonyms nor what a feature does. That is for the parties' own pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from consilience.collaboration.arrivals import (
    ASK,
    NOTICE,
    Received,
    arrived_section,
    gaps,
    joined_section,
)
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.clustered_analyst import ClusteredAnalyst
from consilience.collaboration.learning.terms import Classes
from consilience.collaboration.learning.wording import describe_classes
from consilience.collaboration.separation import ALMOST, separation
from consilience.report.page import Cell, Facts, Note, Page, Section, Table
from consilience.study.study import Study

__all__ = ["learning_analyst_page"]

Counts = npt.NDArray[np.int64]

N_FOLDS = 5
SMALL_CLASS = 10


def learning_analyst_page(
    study: Study, analyst: LearningAnalyst, received: Sequence[Received]
) -> Page:
    """Describe a solved study that learns to its analyst.

    Parameters
    ----------
    study : Study
    analyst : LearningAnalyst
        After it has solved; its model is fitted again to folds, to be judged on rows held out.
    received : sequence of Received
        One per contribution.
    """
    classes = sorted(study.of(Classes).learning.classes)
    confusions = {
        row: held.confusion(len(classes)) for row, held in analyst.hold_out(N_FOLDS).items()
    }
    total = np.sum(list(confusions.values()), axis=0)
    return Page(
        title=study.name,
        subtitle="Report for the analyst",
        notice=f"{NOTICE} It shows counts of rows and classes. {ASK}",
        sections=[
            _summary(study, analyst, received, classes, confusions),
            _model(study, classes, confusions, total),
            *_groups(analyst),
            arrived_section(study, received),
            joined_section(study, analyst, "predicted"),
            describe_classes(study),
        ],
    )


def _summary(
    study: Study,
    analyst: LearningAnalyst,
    received: Sequence[Received],
    classes: Sequence[str],
    confusions: Mapping[str, Counts],
) -> Section:
    total = np.sum(list(confusions.values()), axis=0)
    grouped = isinstance(analyst, ClusteredAnalyst)
    facts: list[tuple[str, Cell]] = [
        ("parties", f"{len(received)} of {len(study.grid.parties)}"),
        ("rows learnt from", analyst.n_labelled),
        ("rows predicted", sum(join.n_rows for join in analyst.joins.values())),
        ("right on rows held out", _share(total)),
        ("bytes received", sum(r.n_bytes for r in received)),
    ]
    found = None if grouped else analyst.rows.shape[1]
    notes = [
        *(Note(text, warning=True) for text in _weak_model(classes, total)),
        *(Note(text, warning=True) for text in _institutions(confusions)),
        *gaps(study, analyst, received, found),
    ]
    return Section("At a glance", [Facts(facts), *(notes or [Note("Nothing to warn of.")])])


def _weak_model(classes: Sequence[str], total: Counts) -> list[str]:
    sizes = total.sum(axis=1)
    texts = []
    if np.trace(total) <= sizes.max():
        likeliest = classes[int(sizes.argmax())]
        texts.append(
            f"The model is right no more often than who always says {likeliest!r}: it has learnt "
            f"nothing of use. More dimensions, or another estimator, may help."
        )
    absent = [name for name, n in zip(classes, sizes, strict=True) if n == 0]
    if absent:
        texts.append(f"No row has the class {', '.join(absent)}: it is never predicted.")
    few = [f"{c} ({n})" for c, n in zip(classes, sizes, strict=True) if 0 < n < SMALL_CLASS]
    if few:
        texts.append(
            f"Few rows have the class {', '.join(few)}: what is said of it rests on little, and a "
            f"small count can point to single persons."
        )
    return texts


def _institutions(confusions: Mapping[str, Counts]) -> list[str]:
    """Warn where institutions differ so much that a model may have learnt who sent a row."""
    texts = []
    apart = separation(np.array([confusion.sum(axis=1) for confusion in confusions.values()]))
    if apart.noticeable:
        much = "The classes are almost exactly the row institutions"
        some = "The classes tell institutions apart"
        texts.append(
            f"{much if apart.nmi >= ALMOST else some}: normalised mutual information "
            f"{apart.nmi:.2f}, and at most {apart.by_chance:.2f} if labels are shuffled. A model "
            f"that has learnt who sent a row is right, too: see how right it is within each."
        )
    idle = [
        row
        for row, confusion in confusions.items()
        if confusion.sum() >= SMALL_CLASS and np.trace(confusion) <= confusion.sum(axis=1).max()
    ]
    if idle and len(idle) < len(confusions):
        texts.append(
            f"At {', '.join(idle)} the model is right no more often than who always says the most "
            f"frequent class there."
        )
    return texts


def _model(
    study: Study, classes: Sequence[str], confusions: Mapping[str, Counts], total: Counts
) -> Section:
    terms = study.of(Classes).learning
    sizes = total.sum(axis=1)
    institutions = Table(
        ["row institution", "rows with a class", *classes, "right on rows held out"],
        [
            [row, int(c.sum()), *(int(n) for n in c.sum(axis=1)), _share(c)]
            for row, c in [*confusions.items(), ("all", total)]
        ],
    )
    told = Table(
        ["class", "rows", *(f"told {c}" for c in classes), "found"],
        [
            [
                name,
                int(sizes[k]),
                *(int(n) for n in total[k]),
                f"{total[k, k] / sizes[k]:.1%}" if sizes[k] else None,
            ]
            for k, name in enumerate(classes)
        ],
        caption=f"Who always names the most frequent class is right on "
        f"{sizes.max() / max(int(sizes.sum()), 1):.1%}.",
    )
    explained = {
        "no": "The study asks for no readable models.",
        "column": "Each party has a readable model in its own columns, on its own page.",
        "all": "Each party has a readable model in all columns, on its own page.",
    }[terms.explain]
    return Section(
        "The model",
        [
            f"The estimator is {terms.estimator}, on the shared representation. To see how right "
            f"it is, it was fitted {N_FOLDS} more times, each time without a fifth of the rows, "
            f"and asked for the classes of those; the answers come from the model that saw all.",
            institutions,
            told,
            f"Which columns decide cannot be seen here: an analyst holds neither the anchor nor a "
            f"column. {explained}",
        ],
    )


def _groups(analyst: LearningAnalyst) -> list[Section]:
    if not isinstance(analyst, ClusteredAnalyst):
        return []
    rows: list[list[Cell]] = [[row, group] for row, group in analyst.groups.items()]
    text = (
        f"Row institutions whose label mixes differ by no more than {analyst.threshold:.2f} share "
        f"a model: {len(set(analyst.groups.values()))} models in all."
    )
    return [Section("Who learns with whom", [text, Table(["row institution", "group"], rows)])]


def _share(confusion: Counts) -> str | None:
    n_rows = int(confusion.sum())
    return f"{np.trace(confusion) / n_rows:.1%}" if n_rows else None
