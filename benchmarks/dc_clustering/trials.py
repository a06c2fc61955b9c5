"""The trials of DC-Clustering [Kawamata2025]_, and agreement with the pooled result.

The paper's settings as its tables need them, which is not quite as its text has them: no scaling,
centred PCA with one dimension less than each party holds, uniform anchors as many as rows, affine
maps, target ``scaled``; ten row institutions with equal shares, two column groups, both drawn anew
in each trial.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering

from benchmarks.problems import Array, Cells, Labels
from consilience import CollaborationClustering
from consilience.baselines import HernandezPereiraSpectral, KumarKMeans
from consilience.collaboration.clustering import cluster
from consilience.datasets import Dataset, blobs, circles, split_columns, split_rows
from consilience.metrics import agreement, score

METRICS = ("ARI", "NMI", "ACC")
N_ROW_PARTIES, N_COLUMN_GROUPS = 10, 2
SETTING = f"{N_ROW_PARTIES} x {N_COLUMN_GROUPS} iid"
VARIANTS: dict[str, dict[str, Any]] = {
    "default anchor": {"anchor": "gaussian", "n_anchor": None},
    "target of the text": {"target": "orthonormal"},
    "half of the dimensions": {"anchor": "gaussian", "n_anchor": None, "n_components": "half"},
}
"""Departures from paper mode whose agreement with the pooled clustering is shown beside it."""


@dataclass(frozen=True)
class Problem:
    """One trial: a table, its classes, and who holds what."""

    X: Array
    y: Labels
    parties: Labels
    columns: list[Labels]
    k: int
    seed: int


def synthetic(name: str, how: str) -> Cells:
    """Table 2: one trial, as in the paper."""
    draw: Any = {"blobs": blobs, "circles": circles}[name]
    grid = draw(how, random_state=0)
    method = "kmeans" if name == "blobs" else "spectral"
    problem = Problem(grid.X, grid.y, grid.parties, list(grid.columns), 3, 0)
    cell = ("Table 2", name, f"2 x 2 {how}")
    together = collaborate(problem, method)
    yield from _scores((*cell, "collaboration"), problem.y, together)
    yield from _scores((*cell, "pooled"), problem.y, _pooled(problem.X, method, problem))
    for i in (0, 1):
        for j in (0, 1):
            rows = np.flatnonzero(problem.parties == i)
            part = problem.X[np.ix_(rows, problem.columns[j])]
            labels = _pooled(part, method, problem)
            yield from _scores((*cell, f"local ({i + 1},{j + 1})"), problem.y[rows], labels)


def trial(name: str, dataset: Dataset, seed: int) -> Cells:
    """One trial of Tables 4 and 6, and of the agreement with the pooled clustering."""
    (n, m), y, k = dataset.X.shape, dataset.y, int(dataset.y.max()) + 1
    parties = split_rows(n, N_ROW_PARTIES, random_state=seed)
    columns = split_columns(m, N_COLUMN_GROUPS, random_state=seed)
    problem = Problem(dataset.X, y, parties, columns, k, seed)
    rows = np.flatnonzero(parties == 0)
    own, mine = problem.X[np.ix_(rows, columns[0])], problem.X[:, columns[0]]

    cell = ("Table 4", name, SETTING)
    yield from _scores((*cell, "local"), y[rows], _pooled(own, "kmeans", problem))
    kumar = KumarKMeans(k, random_state=seed).fit_predict(mine, parties=parties)
    yield from _scores((*cell, "kumar"), y, kumar)
    pooled, together = _pooled(problem.X, "kmeans", problem), collaborate(problem, "kmeans")
    yield from _scores((*cell, "pooled"), y, pooled)
    yield from _scores((*cell, "collaboration"), y, together)
    yield _agreement(name, "k-means, paper mode", together, pooled)
    for label, parameters in VARIANTS.items():
        otherwise = collaborate(problem, "kmeans", **parameters)
        yield _agreement(name, f"k-means, {label}", otherwise, pooled)

    cell = ("Table 6", name, SETTING)
    yield from _scores((*cell, "local"), y[rows], _fit_predict(_scikit_learn(problem), own))
    federated = HernandezPereiraSpectral(k, random_state=seed)
    labels = federated.fit_predict(mine, parties=parties)
    yield from _scores((*cell, "hernandez-pereira"), y, labels)
    solver = _scikit_learn(problem)
    pooled, together = _fit_predict(solver, problem.X), collaborate(problem, solver)
    yield from _scores((*cell, "pooled"), y, pooled)
    yield from _scores((*cell, "collaboration"), y, together)
    yield _agreement(name, "spectral, paper mode, scikit-learn's solver", together, pooled)
    pooled, together = _pooled(problem.X, "spectral", problem), collaborate(problem, "spectral")
    yield from _scores((*cell, "pooled, own solver"), y, pooled)
    yield from _scores((*cell, "collaboration, own solver"), y, together)
    yield _agreement(name, "spectral, paper mode, own solver", together, pooled)


def collaborate(problem: Problem, method: Any, **parameters: Any) -> Any:
    """Find the labels in paper mode, but for what ``parameters`` say."""
    paper = {"anchor": "uniform", "n_anchor": len(problem.X), "target": "scaled", "rounding": None}
    settings = {**paper, **parameters}
    if settings.get("n_components") == "half":
        settings["n_components"] = [max(1, len(c) // 2) for c in problem.columns]
    model = CollaborationClustering(
        problem.k,
        method=method,
        columns=problem.columns,
        n_neighbors=10,
        random_state=problem.seed,
        **settings,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        return model.fit(problem.X, parties=problem.parties).labels_


def _pooled(X: Array, method: str, problem: Problem) -> Any:
    if method == "kmeans":
        return KMeans(problem.k, n_init=10, random_state=problem.seed).fit_predict(X)
    return cluster(X.copy(), method, min(problem.k, len(X)), seed=problem.seed).labels


def _scikit_learn(problem: Problem) -> SpectralClustering:
    return SpectralClustering(
        problem.k, affinity="nearest_neighbors", n_neighbors=10, random_state=problem.seed
    )


def _fit_predict(clusterer: SpectralClustering, X: Array) -> Any:
    clusterer.set_params(n_neighbors=min(10, len(X)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        return clusterer.fit_predict(X)


def _scores(cell: tuple[str, ...], truth: Labels, labels: Any) -> Cells:
    for metric, value in zip(METRICS, score(truth, labels), strict=True):
        yield (*cell, metric), value


def _agreement(name: str, method: str, labels: Any, pooled: Any) -> tuple[tuple[str, ...], float]:
    cell = ("Agreement", name, SETTING, method, "ARI with pooled")
    return cell, agreement(labels, pooled)
