"""Tables 2, 4, 5 and 6 of DC-Clustering [Kawamata2025]_, and agreement with the pooled result.

The paper's settings as its tables need them, which is not quite as its text has them: no scaling,
centred PCA with one dimension less than each party holds, uniform anchors as many as rows, affine
maps, target ``scaled``; ten row institutions with equal shares, two column groups, both drawn anew
in each trial.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import Progress
from sklearn.cluster import KMeans, SpectralClustering

from benchmarks.dc_clustering.page import write_page
from benchmarks.tables import Trials, compare, published, write_csv
from consilience import CollaborationClustering
from consilience.baselines import HernandezPereiraSpectral, KumarKMeans
from consilience.collaboration.clustering import cluster
from consilience.datasets import blobs, circles, load, split_columns, split_rows
from consilience.metrics import agreement, percent_difference, score

__all__ = ["run"]

DATA = {
    "iris": "iris",
    "rice": "rice",
    "pendigits": "pendigits",
    "heart-statlog": "heart-statlog",
    "banknote": "banknote",
    "phoneme": "phoneme_elena",
}
"""The paper's six sets, and the name of each in ``consilience.datasets``."""

SMALL_ROWS, SMALL_TRIALS, LARGE_TRIALS = 6_000, 100, 20
N_ROW_PARTIES, N_COLUMN_GROUPS = 10, 2

Labels = npt.NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """One trial: a table, its classes, and who holds what."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64]
    parties: npt.NDArray[np.int64]
    columns: list[npt.NDArray[np.int64]]
    k: int
    seed: int


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results and the page.

    Parameters
    ----------
    trials : int or None
        Trials per cell; None means 100 for sets of up to 6,000 rows and 20 for larger ones.
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
    measured = Trials()
    sets = {name: load(slug, data=data) for name, slug in DATA.items()}
    budget = {name: trials or _default_trials(len(s.y)) for name, s in sets.items()}
    task = progress.add_task("DC-Clustering", total=4 + sum(budget.values()))
    for name, draw in (("blobs", blobs), ("circles", circles)):
        for how in ("iid", "non-iid"):
            _synthetic(measured, name, f"2 x 2 {how}", draw(how, random_state=0))
            progress.advance(task)
    for name, dataset in sets.items():
        for seed in range(budget[name]):
            n, m = dataset.X.shape
            problem = Problem(
                dataset.X,
                dataset.y,
                split_rows(n, N_ROW_PARTIES, random_state=seed),
                split_columns(m, N_COLUMN_GROUPS, random_state=seed),
                int(dataset.y.max()) + 1,
                seed,
            )
            _trial(measured, name, problem)
            progress.advance(task)
    _average_differences(measured)
    results = compare(measured.summary(), published("dc_clustering"))
    path = out / "benchmarks" / "results" / "dc-clustering.csv"
    write_csv(results, path)
    yield path
    yield write_page(results, budget, out / "docs" / "bench-dc-clustering.md")


def _default_trials(n_rows: int) -> int:
    return SMALL_TRIALS if n_rows <= SMALL_ROWS else LARGE_TRIALS


def _synthetic(measured: Trials, name: str, setting: str, grid: Any) -> None:
    """Table 2: one trial, as in the paper."""
    method = "kmeans" if name == "blobs" else "spectral"
    problem = Problem(grid.X, grid.y, grid.parties, list(grid.columns), 3, 0)
    together = _collaborate(problem, method)
    record = _recorder(measured, "Table 2", name, setting)
    record("collaboration", problem.y, together.labels_)
    record("pooled", problem.y, _pooled(problem.X, method, problem))
    for i in (0, 1):
        for j in (0, 1):
            rows = np.flatnonzero(problem.parties == i)
            part = problem.X[np.ix_(rows, problem.columns[j])]
            labels = _pooled(part, method, problem)
            record(f"local ({i + 1},{j + 1})", problem.y[rows], labels)


def _trial(measured: Trials, name: str, problem: Problem) -> None:
    """One trial of Tables 4 and 6, and of the agreement with the pooled clustering."""
    first = problem.columns[0]
    rows = np.flatnonzero(problem.parties == 0)
    own, mine = problem.X[np.ix_(rows, first)], problem.X[:, first]
    setting = f"{N_ROW_PARTIES} x {N_COLUMN_GROUPS} iid"

    record = _recorder(measured, "Table 4", name, setting)
    record("local", problem.y[rows], _pooled(own, "kmeans", problem))
    kumar = KumarKMeans(problem.k, random_state=problem.seed)
    record("kumar", problem.y, kumar.fit_predict(mine, parties=problem.parties))
    pooled = record("pooled", problem.y, _pooled(problem.X, "kmeans", problem))
    together = record("collaboration", problem.y, _collaborate(problem, "kmeans").labels_)

    agree = _recorder(measured, "Agreement", name, setting, agreement_only=True)
    agree("k-means, paper mode", pooled, together)
    for label, parameters in _VARIANTS.items():
        agree(f"k-means, {label}", pooled, _collaborate(problem, "kmeans", **parameters).labels_)

    record = _recorder(measured, "Table 6", name, setting)
    solver = _scikit_learn_spectral(problem)
    record("local", problem.y[rows], _fit_predict(_scikit_learn_spectral(problem), own))
    federated = HernandezPereiraSpectral(problem.k, random_state=problem.seed)
    record("hernandez-pereira", problem.y, federated.fit_predict(mine, parties=problem.parties))
    pooled = record("pooled", problem.y, _fit_predict(solver, problem.X))
    together = record("collaboration", problem.y, _collaborate(problem, solver).labels_)
    agree("spectral, paper mode, scikit-learn's solver", pooled, together)
    pooled = record("pooled, own solver", problem.y, _pooled(problem.X, "spectral", problem))
    ours = _collaborate(problem, "spectral").labels_
    together = record("collaboration, own solver", problem.y, ours)
    agree("spectral, paper mode, own solver", pooled, together)


_VARIANTS: dict[str, dict[str, Any]] = {
    "default anchor": {"anchor": "gaussian", "n_anchor": None},
    "target of the text": {"target": "orthonormal"},
    "half of the dimensions": {"anchor": "gaussian", "n_anchor": None, "n_components": "half"},
}
"""Departures from paper mode whose agreement with the pooled clustering is shown beside it."""


def _collaborate(problem: Problem, method: Any, **parameters: Any) -> CollaborationClustering:
    """Fit in paper mode, but for what ``parameters`` say."""
    settings = {"anchor": "uniform", "n_anchor": len(problem.X), **parameters}
    if settings.get("n_components") == "half":
        settings["n_components"] = [max(1, len(c) // 2) for c in problem.columns]
    model = CollaborationClustering(
        problem.k,
        method=method,
        columns=problem.columns,
        random_state=problem.seed,
        **settings,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        return model.fit(problem.X, parties=problem.parties)


def _pooled(X: npt.NDArray[np.float64], method: str, problem: Problem) -> Labels:
    if method == "kmeans":
        model = KMeans(problem.k, n_init=10, random_state=problem.seed)
        return np.asarray(model.fit_predict(X))
    return cluster(X.copy(), method, min(problem.k, len(X)), seed=problem.seed).labels


def _scikit_learn_spectral(problem: Problem) -> SpectralClustering:
    return SpectralClustering(
        problem.k, affinity="nearest_neighbors", n_neighbors=10, random_state=problem.seed
    )


def _fit_predict(clusterer: SpectralClustering, X: npt.NDArray[np.float64]) -> Labels:
    clusterer.set_params(n_neighbors=min(10, len(X)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        return np.asarray(clusterer.fit_predict(X))


def _recorder(
    measured: Trials, table: str, data: str, setting: str, *, agreement_only: bool = False
) -> Callable[[str, Labels, Labels], Labels]:
    """Return a function that scores labels into the cells of one table and hands them back."""

    def record(method: str, truth: Labels, labels: Labels) -> Labels:
        if agreement_only:
            cell = (table, data, setting, method, "ARI with pooled")
            measured.add(cell, agreement(labels, truth))
        else:
            for metric, value in zip(("ARI", "NMI", "ACC"), score(truth, labels), strict=True):
                measured.add((table, data, setting, method, metric), value)
        return labels

    return record


def _average_differences(measured: Trials) -> None:
    """Table 5: the mean over sets and metrics of the difference of means from pooled, in %."""
    setting = f"{N_ROW_PARTIES} x {N_COLUMN_GROUPS} iid"
    rows = [
        ("Table 4", "k-means", "", ["local", "kumar", "collaboration"]),
        ("Table 6", "spectral", "", ["local", "hernandez-pereira", "collaboration"]),
        ("Table 6", "spectral", ", own solver", ["collaboration"]),
    ]
    for table, kind, solver, methods in rows:
        for method in methods:
            differences = [
                percent_difference(
                    measured.mean((table, data, setting, method + solver, metric)),
                    measured.mean((table, data, setting, "pooled" + solver, metric)),
                )
                for data in DATA
                for metric in ("ARI", "NMI", "ACC")
            ]
            cell = ("Table 5", "all", kind, method + solver, "% from pooled")
            measured.add(cell, float(np.mean(differences)))
