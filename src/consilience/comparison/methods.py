"""The methods that can be compared: ours, by their real roles, and those of the literature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consilience import baselines
from consilience.baselines.sent import Sent
from consilience.collaboration.estimator import CollaborationClustering
from consilience.comparison.heard import Held, Index, read_messages
from consilience.comparison.split import Split
from consilience.consensus.estimator import ConsensusClustering
from consilience.continual.estimator import ContinualClustering
from consilience.holdings import Place
from consilience.hybrid import HybridConsensusClustering
from consilience.messages import Contribution, Message
from consilience.summaries.estimator import SummaryClustering
from consilience.transports import overhear

__all__ = ["METHODS", "Found", "Method", "run_estimator"]

Labels = npt.NDArray[np.int64]
ANY = frozenset({"none", "rows", "columns", "both"})
ROWS, COLUMNS = frozenset({"none", "rows"}), frozenset({"none", "columns"})


class Found(NamedTuple):
    """What a method found, and what was sent for it.

    Attributes
    ----------
    parts : list of (rows, labels)
        One for all rows, or one for each institution whose labels mean nothing to the others.
    held : list of Held, or None
        None where nobody knows what was sent.
    """

    parts: list[tuple[Index, Labels]]
    held: list[Held] | None


class Method(NamedTuple):
    """A method by name: on which splits it works, and how it is run."""

    splits: frozenset[str]
    run: Callable[[Split], Found]


def run_estimator(
    make: Callable[[Split], Any], place: Callable[[Split], Callable[[Message], Any]]
) -> Callable[[Split], Found]:
    """Return how to run one of our estimators: fit it, and overhear its roles."""

    def run(split: Split) -> Found:
        with overhear() as heard:
            labels = _fit(make(split), split)
        return Found([(np.arange(len(split.X)), labels)], read_messages(heard, place(split)))

    return run


def _fit(model: Any, split: Split) -> Labels:
    split_rows = "parties" in model.fit.__code__.co_varnames
    model.fit(split.X, **({"parties": split.parties} if split_rows else {}))
    return np.asarray(model.labels_, dtype=np.int64)


def _by_cell(split: Split) -> Callable[[Message], tuple[Index, Index]]:
    """Read senders called ``row/column``, or ``row`` alone."""
    everything = np.arange(split.X.shape[1])

    def place(message: Message) -> tuple[Index, Index]:
        at = Place.of(message.sender)
        column = split.holdings.columns[int(at.column)] if at.column else everything
        return split.holdings.rows[int(at.row)], column

    return place


def _by_peer(split: Split) -> Callable[[Message], tuple[Index, Index]]:
    """Read senders called ``peer-2``: all rows, the columns of a group."""
    rows = np.arange(len(split.X))

    def place(message: Message) -> tuple[Index, Index]:
        number = int(message.sender.removeprefix("peer-"))
        return rows, split.holdings.columns[number - 1]

    return place


def _by_group(split: Split) -> Callable[[Message], tuple[Index, Index]]:
    """Read peers, and before them the groups of columns whose holders align one after the other."""
    by_peer, turn = _by_peer(split), Counter[str]()

    def place(message: Message) -> tuple[Index, Index]:
        if not isinstance(message, Contribution):
            return by_peer(message)
        group = turn[message.sender]
        turn[message.sender] += 1
        row = int(Place.of(message.sender).row)
        return split.holdings.rows[row], split.holdings.columns[group]

    return place


def _half(split: Split) -> list[int]:
    """Return how many dimensions a study keeps that says nothing about it."""
    return [(len(group) + 1) // 2 for group in split.columns]


def _collaboration(split: Split, **settings: Any) -> CollaborationClustering:
    return CollaborationClustering(
        split.n_clusters, columns=split.columns, random_state=split.seed, **settings
    )


def _summaries(epsilon: float | None) -> Callable[[Split], SummaryClustering]:
    return lambda split: SummaryClustering(
        split.n_clusters,
        epsilon=epsilon,
        bounds=split.bounds,
        spreads=np.ones(split.X.shape[1]),
        random_state=split.seed,
    )


def _stream(epsilon: float | None) -> Callable[[Split], ContinualClustering]:
    def make(split: Split) -> ContinualClustering:
        if epsilon is None:
            return ContinualClustering(random_state=split.seed)
        return ContinualClustering(
            epsilon=epsilon, bounds=split.bounds, noise="centers", random_state=split.seed
        )

    return make


def _alone(split: Split) -> Found:
    """Let every institution cluster what it holds; nothing is sent."""
    parts: list[tuple[Index, Labels]] = []
    held: list[Held] = []
    for group in split.holdings.columns:
        model = baselines.LocalClustering(split.n_clusters, random_state=split.seed)
        model.fit(split.X[:, group], parties=split.parties)
        parts += [(rows, model.labels_[rows]) for rows in split.holdings.rows]
        held += [Held(rows, group, Sent()) for rows in split.holdings.rows]
    return Found(parts, held)


def _by_rows(estimator: Any) -> Callable[[Split], Found]:
    """Run a compared method of institutions that hold different rows."""

    def run(split: Split) -> Found:
        model = estimator(split.n_clusters, random_state=split.seed)
        labels = _fit(model, split)
        columns = np.arange(split.X.shape[1])
        held = [
            Held(rows, columns, sent)
            for rows, sent in zip(split.holdings.rows, model.sent_, strict=True)
        ]
        return Found([(np.arange(len(split.X)), labels)], held)

    return run


def _by_columns(
    fit: Callable[[Split], tuple[list[Labels], list[Sent]]],
) -> Callable[[Split], Found]:
    """Run a compared method whose parties hold different columns, each with labels of its own."""

    def run(split: Split) -> Found:
        labels, sent = fit(split)
        rows = np.arange(len(split.X))
        held = [
            Held(rows, group, left)
            for group, left in zip(split.holdings.columns, sent, strict=True)
        ]
        return Found([(rows, own) for own in labels], held)

    return run


def _vertical(estimator: Any) -> Callable[[Split], tuple[list[Labels], list[Sent]]]:
    def fit(split: Split) -> tuple[list[Labels], list[Sent]]:
        model = estimator(split.n_clusters, columns=split.columns, random_state=split.seed)
        model.fit(split.X)
        return model.peer_labels_, model.sent_

    return fit


def _dpfmps(split: Split) -> tuple[list[Labels], list[Sent]]:
    found = baselines.dpfmps(
        split.X, split.n_clusters, columns=split.columns, epsilon=1.0, bounds=split.bounds
    )
    return found.peer_labels, found.sent


METHODS: dict[str, Method] = {
    "alone": Method(ANY, _alone),
    "collaboration": Method(
        ANY,
        run_estimator(
            lambda s: _collaboration(
                s, n_components=_half(s), scaling="spread", spreads=np.ones(s.X.shape[1])
            ),
            _by_cell,
        ),
    ),
    "collaboration, as published": Method(
        ANY,
        run_estimator(
            lambda s: _collaboration(s, anchor="uniform", target="scaled", rounding=None), _by_cell
        ),
    ),
    "summaries, epsilon 1": Method(ROWS, run_estimator(_summaries(1.0), _by_cell)),
    "summaries, means of 10": Method(ROWS, run_estimator(_summaries(None), _by_cell)),
    "stream": Method(ROWS, run_estimator(_stream(None), _by_cell)),
    "stream, epsilon 1": Method(ROWS, run_estimator(_stream(1.0), _by_cell)),
    "consensus": Method(
        COLUMNS,
        run_estimator(
            lambda s: ConsensusClustering(columns=s.columns, random_state=s.seed), _by_peer
        ),
    ),
    "hybrid consensus": Method(
        ANY,
        run_estimator(
            lambda s: HybridConsensusClustering(
                columns=s.columns, n_components=_half(s), random_state=s.seed
            ),
            _by_group,
        ),
    ),
    "k-FED": Method(ROWS, _by_rows(baselines.KFed)),
    "federated k-means": Method(ROWS, _by_rows(baselines.KumarKMeans)),
    "FedFCM": Method(ROWS, _by_rows(baselines.FedFCM)),
    "MUFC": Method(ROWS, _by_rows(baselines.MUFC)),
    "federated spectral": Method(ROWS, _by_rows(baselines.HernandezPereiraSpectral)),
    "distributed k-means": Method(COLUMNS, _by_columns(_vertical(baselines.DistributedKMeans))),
    "coreset k-means": Method(COLUMNS, _by_columns(_vertical(baselines.CoresetKMeans))),
    "DPFMPS, epsilon 1": Method(COLUMNS, _by_columns(_dpfmps)),
}
"""Every method by name, ours and the compared ones."""
