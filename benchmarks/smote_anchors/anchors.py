"""Which anchor, and how many rows: agreement with pooled, accuracy, closeness and unmixing.

Six public sets, five row institutions, two column groups, one dimension less than each party holds.
Every anchor is judged by what it is for: the clustering that results, the readable model that
results, and what an analyst alone can unmix.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import Progress
from sklearn.cluster import KMeans
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

from benchmarks.smote_anchors.anchors_page import N_STARTS, write_page
from benchmarks.smote_anchors.public_rows import publishable
from benchmarks.tables import Trials, write_csv
from consilience import CollaborationClustering, InterpretableCollaboration
from consilience.collaboration.anchors import (
    LowRank,
    Smote,
    average_minimum_distance,
    earth_movers_distance,
)
from consilience.collaboration.learning.surrogate import readable_tree
from consilience.collaboration.party import Party
from consilience.datasets import load, split_columns, split_rows
from consilience.metrics import agreement

__all__ = ["run", "unmix"]

Array = npt.NDArray[np.float64]

DATA = ("banknote", "heart-statlog", "rice", "phoneme_elena", "pendigits", "dry_bean")
N_ANCHORS = (50, 100, 400, 1600)
MAX_ROWS, N_PUBLIC = 3_000, 100
N_ROW_PARTIES, N_COLUMN_GROUPS = 5, 2


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every anchor on every set and write the results and the decision page.

    Parameters
    ----------
    trials : int or None
        Trials per cell; None means 10.
    data : Path or None
        Folder with the data sets.
    out : Path
        Root under which ``benchmarks/results`` and ``docs`` are written.
    progress : rich.progress.Progress

    Yields
    ------
    Path
        Each file written.
    """
    measured, n_trials = Trials(), trials or 10
    task = progress.add_task("anchors", total=len(DATA) * n_trials)
    for name in DATA:
        dataset = load(name, data=data)
        for seed in range(n_trials):
            _trial(measured, name, dataset.X, dataset.y, seed)
            progress.advance(task)
    results = measured.summary()
    path = out / "benchmarks" / "results" / "anchors.csv"
    write_csv(results, path)
    yield path
    yield write_page(results, out / "docs" / "choosing-an-anchor.md")


def _trial(measured: Trials, name: str, X: Array, y: npt.NDArray[Any], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(X))
    public, rows = np.split(order, [min(N_PUBLIC, len(X) // 5)])
    rows = rows[:MAX_ROWS]
    train, test = np.split(rows, [int(0.7 * len(rows))])
    columns = split_columns(X.shape[1], N_COLUMN_GROUPS, random_state=seed)
    public = publishable(X, public, train, columns)
    grid = {"columns": columns, "random_state": seed}
    of_train = split_rows(len(train), N_ROW_PARTIES, random_state=seed)
    k = int(y.max()) + 1
    pooled = KMeans(k, n_init=10, random_state=seed).fit_predict(X[train])
    rng = np.random.default_rng(seed)
    starts = [rng.choice(len(train), k, replace=False) for _ in range(N_STARTS)]
    started = [_from_start(X[train], start) for start in starts]
    tree = readable_tree().set_params(random_state=seed)
    central = tree.fit(X[train], y[train]).score(X[test], y[test])
    measured.add(("pooled", name, "", "centralised tree", "ACC"), central)
    kinds = {
        "gaussian": "gaussian",
        "uniform": "uniform",
        "rotated": "rotated",
        "smote": Smote(X[public]),
        "lowrank": LowRank(2),
    }
    units = X[train].std(axis=0)
    units[units == 0] = 1.0
    for kind, anchor in kinds.items():
        for r in N_ANCHORS:
            cell = ("anchors", name, str(r), kind)
            settings: dict[str, Any] = {**grid, "anchor": anchor, "n_anchor": r}
            clustering = CollaborationClustering(k, **settings).fit(X[train], parties=of_train)
            measured.add((*cell, "agreement"), agreement(clustering.labels_, pooled))
            Z = clustering.representation_
            same = [agreement(_from_start(Z, s), p) for s, p in zip(starts, started, strict=True)]
            measured.add((*cell, "same start"), float(np.mean(same)))
            learnt = InterpretableCollaboration(**settings)
            learnt.fit(X[train], y[train], parties=of_train)
            readable = [s.predict(X[test]) == y[test] for s in learnt.surrogates_.values()]
            measured.add((*cell, "ACC readable"), float(np.mean(readable)))
            asked = np.arange(len(test)) % N_ROW_PARTIES
            by_model = learnt.predict_by_model(X[test], asked) == y[test]
            measured.add((*cell, "ACC model"), float(np.mean(by_model)))
            A = learnt.anchor_
            unmixed = unmix(X[train], A, of_train, columns, seed)
            measured.add((*cell, "unmixed"), unmixed)
            near = average_minimum_distance(X[train] / units, A / units)
            measured.add((*cell, "AMD(raw)"), near)
            near = average_minimum_distance(A / units, X[train] / units)
            measured.add((*cell, "AMD(anc)"), near)
            moved = earth_movers_distance(X[train] / units, A / units, n_exact=200, seed=seed)
            measured.add((*cell, "EMD"), moved.value)


def _from_start(X: Array, start: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Cluster rows by k-means that starts at some of them."""
    labels = KMeans(len(start), init=X[start], n_init=1).fit_predict(X)
    return np.asarray(labels)


def unmix(
    X: Array,
    A: Array,
    parties: npt.NDArray[Any],
    columns: list[npt.NDArray[np.int64]],
    seed: int,
) -> float:
    """Attack as an analyst alone: find the anchor's features in what the parties sent of it.

    For each column group the parties' representations of the anchor are put side by side, and
    independent component analysis looks for the features in them. No key, no anchor and no
    colluding party is used.

    Parameters
    ----------
    X, A : ndarray of shape (n_rows, n_features) and (n_anchor, n_features)
    parties : ndarray of shape (n_rows,)
    columns : list of ndarray of int
    seed : int

    Returns
    -------
    float
        Mean over features of the largest absolute correlation with a component. What chance
        reaches depends on the number of features: compare with the gaussian anchor, in which there
        is nothing to find.
    """
    found = []
    for j, part in enumerate(columns):
        if len(part) < 2:
            continue
        seen = []
        for i in np.unique(parties):
            party = Party(f"{i}/{j}", A[:, part], rng=np.random.default_rng(seed))
            (sent,) = party.begin(X[np.ix_(np.flatnonzero(parties == i), part)])
            seen.append(sent.anchor)  # type: ignore[attr-defined]
        stacked = np.hstack(seen)
        U, values, _ = np.linalg.svd(stacked - stacked.mean(axis=0), full_matrices=False)
        n_sources = min(len(part), int((values > 1e-6 * values[0]).sum()))
        ica = FastICA(n_sources, whiten="unit-variance", max_iter=200, tol=1e-3, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            sources = ica.fit_transform(U[:, :n_sources] * values[:n_sources])
        varying = part[A[:, part].std(axis=0) > 0]
        correlation = np.corrcoef(A[:, varying].T, sources.T)[: len(varying), len(varying) :]
        found.extend(np.abs(correlation).max(axis=1).tolist())
    return float(np.mean(found)) if found else float("nan")
