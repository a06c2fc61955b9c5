"""Which anchor to choose, and how many rows: agreement, readable models, and what leaks.

Five row institutions, two column groups, one dimension less than each party holds. Every anchor is
judged by what it is for: the clustering that results, the readable model that results, and what an
analyst alone can unmix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.distances import average_minimum_distance, earth_movers_distance
from benchmarks.problems import Array, Cells
from benchmarks.smote_anchors.problems import publishable
from consilience import CollaborationClustering, InterpretableCollaboration
from consilience.collaboration.anchors.lowrank import LowRank
from consilience.collaboration.anchors.smote import Smote
from consilience.collaboration.learning.surrogate import readable_tree
from consilience.collaboration.party import Party
from consilience.datasets import split_columns, split_rows
from consilience.metrics import agreement
from consilience.privacy.audits.unmixing import independent_components

N_ANCHORS = (50, 100, 400, 1600)
MAX_ROWS, N_PUBLIC = 3_000, 100
N_ROW_PARTIES, N_COLUMN_GROUPS = 5, 2
N_STARTS = 5
"""Starts of k-means over which agreement from the same start is a mean."""
MAX_ITER, RANK_TOLERANCE = 200, 1e-6


def trial(name: str, X: Array, y: Any, seed: int) -> Cells:
    """Measure all anchors on one split of a set."""
    order = np.random.default_rng(seed).permutation(len(X))
    public, rows = np.split(order, [min(N_PUBLIC, len(X) // 5)])
    train, test = np.split(rows[:MAX_ROWS], [int(0.7 * len(rows[:MAX_ROWS]))])
    columns = split_columns(X.shape[1], N_COLUMN_GROUPS, random_state=seed)
    public = publishable(X, public, train, columns)
    tree = readable_tree().set_params(random_state=seed)
    central = tree.fit(X[train], y[train]).score(X[test], y[test])
    yield ("pooled", name, "", "centralised tree", "ACC"), central
    kinds = {
        "gaussian": "gaussian",
        "uniform": "uniform",
        "rotated": "rotated",
        "smote": Smote(X[public]),
        "lowrank": LowRank(2),
    }
    clustered = _Clustering(X[train], int(y.max()) + 1, seed)
    units = X[train].std(axis=0)
    units[units == 0] = 1.0
    for kind, anchor in kinds.items():
        for r in N_ANCHORS:
            settings: dict[str, Any] = {"anchor": anchor, "n_anchor": r, "random_state": seed}
            settings |= {"columns": columns, "rounding": None}
            cell = ("anchors", name, str(r), kind)
            yield from clustered.cells(cell, settings)
            learnt = InterpretableCollaboration(**settings)
            learnt.fit(X[train], y[train], parties=clustered.parties)
            readable = [s.predict(X[test]) == y[test] for s in learnt.surrogates_.values()]
            yield (*cell, "ACC readable"), float(np.mean(readable))
            asked = np.arange(len(test)) % N_ROW_PARTIES
            by_model = learnt.predict_by_model(X[test], asked) == y[test]
            yield (*cell, "ACC model"), float(np.mean(by_model))
            A = learnt.anchor_
            yield (*cell, "unmixed"), unmixed(X[train], A, clustered.parties, columns, seed)
            raw, A = X[train] / units, A / units
            yield (*cell, "AMD(raw)"), average_minimum_distance(raw, A)
            yield (*cell, "AMD(anc)"), average_minimum_distance(A, raw)
            yield (*cell, "EMD"), earth_movers_distance(raw, A, n_exact=200, seed=seed)


class _Clustering:
    """k-means of pooled rows, from its own starts and from given ones."""

    def __init__(self, X: Array, k: int, seed: int) -> None:
        self.X, self.k = X, k
        self.parties = split_rows(len(X), N_ROW_PARTIES, random_state=seed)
        self.pooled = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
        rng = np.random.default_rng(seed)
        self.starts = [rng.choice(len(X), k, replace=False) for _ in range(N_STARTS)]
        self.started = [from_start(X, start) for start in self.starts]

    def cells(self, cell: tuple[str, ...], settings: dict[str, Any]) -> Cells:
        """Compare with k-means of the rows as a collaboration shares them."""
        model = CollaborationClustering(self.k, target="scaled", **settings)
        model.fit(self.X, parties=self.parties)
        yield (*cell, "agreement"), agreement(model.labels_, self.pooled)
        found = [from_start(model.representation_, start) for start in self.starts]
        same = [agreement(*pair) for pair in zip(found, self.started, strict=True)]
        yield (*cell, "same start"), float(np.mean(same))


def from_start(X: Array, start: Any) -> Any:
    """Cluster rows by k-means that starts at some of them."""
    return KMeans(len(start), init=X[start], n_init=1).fit_predict(X)


def unmixed(X: Array, A: Array, parties: Any, columns: list[Any], seed: int) -> float:
    """Attack as an analyst alone: find the anchor's features in what the parties sent of it.

    For each column group the parties' representations of the anchor are put side by side, and
    independent component analysis looks for the features in them. No key, no anchor and no
    colluding party is used.

    Returns
    -------
    float
        Mean over features of the largest absolute correlation with a component. What chance
        reaches depends on the number of features: compare with the gaussian anchor, in which there
        is nothing to find.
    """
    found: list[float] = []
    for j, part in enumerate(columns):
        if len(part) < 2:
            continue
        seen = []
        for i in np.unique(parties):
            party = Party(f"{i}/{j}", A[:, part], rng=np.random.default_rng(seed))
            (sent,) = party.begin(X[np.ix_(np.flatnonzero(parties == i), part)])
            seen.append(sent.anchor)  # type: ignore[attr-defined]
        stacked = np.hstack(seen)
        # Directions that are there by rounding alone would be whitened, too.
        U, values, _ = np.linalg.svd(stacked - stacked.mean(axis=0), full_matrices=False)
        n_kept = min(len(part), int((values > RANK_TOLERANCE * values[0]).sum()))
        kept = U[:, :n_kept] * values[:n_kept]
        sources = independent_components(kept, len(part), seed, MAX_ITER)
        varying = part[A[:, part].std(axis=0) > 0]
        correlation = np.corrcoef(A[:, varying].T, sources.T)[: len(varying), len(varying) :]
        found.extend(np.abs(correlation).max(axis=1).tolist())
    return float(np.mean(found)) if found else float("nan")
