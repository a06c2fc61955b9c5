"""Tables 1 and 5 to 16 and Figures 1 and 4 of VertCoHiRF [Belucci2026]_.

Two peers, columns dealt at random with 20 % shared, five such partitions, columns standardised
(one-hot where categorical), every method tuned with the same number of trials for each metric on
its own. The paper does not state the number of peers of its tables; two is the default of its
published experiments.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from rich.progress import Progress
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

from consilience import ConsensusClustering
from consilience.bench.byzantine import attack_scores
from consilience.bench.tables import Trials, compare, published, write_csv
from consilience.bench.tuning import best_score
from consilience.bench.vertcohirf_methods import METHODS
from consilience.bench.vertcohirf_page import write_page
from consilience.datasets import load, multimodal, share_columns

__all__ = ["run"]

BUDGET = {
    "multimodal": 10,
    "alizadeh-2000-v2": 10,
    "chowdary-2006": 10,
    "garber-2001": 4,
    "coil20": 3,
    "nursery": 2,
    "shuttle": 2,
    "Figure 1": 8,
    "Figure 4": 2,
}
"""Tuning trials per cell of the committed run; the paper has 50 everywhere (``--trials 50``)."""

N_PARTITIONS, N_PEERS, SILHOUETTE_ROWS = 5, 2, 2_000
BASELINES = ["Distr.KMeans", "CoresetKMeans", "DPFMPS", "DPFMPS-2PEst"]
PEER_COUNTS = range(2, 7)

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results and the page.

    Parameters
    ----------
    trials : int or None
        Tuning trials per cell; None means :data:`BUDGET`, 50 is the paper's.
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
    budget = dict(BUDGET) if trials is None else dict.fromkeys(BUDGET, trials)
    reference = published("vertcohirf")
    measured = Trials()
    path = out / "benchmarks" / "results" / "vertcohirf.csv"
    tables = reference[reference.table != "Table 1"]
    names = list(dict.fromkeys(tables.data))
    task = progress.add_task("VertCoHiRF", total=2 + N_PARTITIONS * (len(names) + 1))
    _table_1(measured, budget["multimodal"])
    progress.advance(task)
    for name in names:
        X, y = prepare(name, data)
        methods = tables[tables.data == name]
        for seed in range(N_PARTITIONS):
            _partition(measured, methods, name, X, y, budget[name], seed)
            progress.advance(task)
        # A long run that is stopped keeps the sets it has finished.
        write_csv(compare(measured.summary(), reference), path)
    X, y = prepare("alizadeh-2000-v2", data)
    for seed in range(N_PARTITIONS):
        _figure_4(measured, X, y, budget["Figure 4"], seed)
        progress.advance(task)
    for cell, value in attack_scores(budget["Figure 1"]):
        measured.add(cell, value)
    progress.advance(task)
    results = compare(measured.summary(), reference)
    write_csv(results, path)
    yield path
    yield from write_page(results, budget, out / "docs")


def prepare(name: str, data: Path | None) -> tuple[Array, Labels]:
    """Load a set, standardised; the columns of nursery are categories and become one-hot."""
    dataset = load(name, data=data)
    frame = dataset.frame
    if name == "nursery":
        frame = pd.get_dummies(frame.astype("category"))
    X = frame.to_numpy(dtype=np.float64)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), dataset.y


class _Scores:
    """Scores of one method on one partition: each setting is fitted once for all metrics."""

    def __init__(self, method: str, X: Array, y: Labels, views: list[Any], seed: int) -> None:
        self._method, self._X, self._y = METHODS[method], X, y
        self._views, self._seed = views, seed
        self._known: dict[tuple[Any, ...], dict[str, float]] = {}

    def best(self, metric: str, trials: int) -> float:
        return best_score(lambda p: self.score(p)[metric], self._method.space, trials, self._seed)

    def score(self, parameters: dict[str, Any]) -> dict[str, float]:
        key = tuple(sorted(parameters.items()))
        if key not in self._known:
            self._known[key] = self._fit(parameters)
        return self._known[key]

    def _fit(self, parameters: dict[str, Any]) -> dict[str, float]:
        try:
            found = self._method.fit(parameters, self._X, self._views, self._seed)
        except MemoryError:
            return {"ARI": float("nan"), "SIL": float("nan")}
        distinct = [found[0]] if all(f is found[0] for f in found) else found
        return {
            "ARI": float(np.mean([adjusted_rand_score(self._y, f) for f in distinct])),
            "SIL": float(np.mean([_silhouette(self._X, f) for f in distinct])),
        }


def _silhouette(X: Array, labels: Labels) -> float:
    """Silhouette on all columns; -1 where it is not defined; at most 2,000 rows, seeded."""
    rows = np.arange(len(X))
    if len(X) > SILHOUETTE_ROWS:
        rows = np.random.default_rng(0).choice(len(X), SILHOUETTE_ROWS, replace=False)
    n_clusters = len(np.unique(labels[rows]))
    if not 2 <= n_clusters < len(rows):
        return -1.0
    return float(silhouette_score(X[rows], labels[rows]))


def _partition(
    measured: Trials,
    methods: pd.DataFrame,
    name: str,
    X: Array,
    y: Labels,
    trials: int,
    seed: int,
) -> None:
    """Tune every method of a set's two tables on one partition of the columns."""
    views = share_columns(X.shape[1], N_PEERS, random_state=seed)
    for metric in ("ARI", "SIL"):
        rows = methods[methods.metric == metric]
        alone = float("nan")
        for table, method in zip(rows.table, rows.method, strict=True):
            actual = method
            if name == "shuttle" and method == "VertCoHiRF*(DBSCAN)":
                actual = "VertCoHiRF*(DBSCAN), rounded"
            scores = _scores(actual, name, X, y, views, seed)
            value = scores.best(metric, trials)
            alone = value if method == "k-means alone" else alone
            measured.add((table, name, "2 peers", method, metric), value)
            measured.add((table, name, "2 peers", method, f"{metric} diff"), value - alone)
    _CACHE.clear()


_CACHE: dict[str, _Scores] = {}


def _scores(method: str, name: str, X: Array, y: Labels, views: list[Any], seed: int) -> _Scores:
    """Keep the fits of a method while both metrics of a partition are tuned."""
    if method not in _CACHE:
        _CACHE[method] = _Scores(method, X, y, views, seed)
    return _CACHE[method]


def _table_1(measured: Trials, trials: int) -> None:
    """Section 4.1: DBSCAN at one peer, k-means at the other, against every baseline."""
    views: list[Any] = [np.arange(3), np.arange(3, 5)]
    for seed in range(N_PARTITIONS):
        X, y = multimodal(random_state=seed)
        for method in ["k-means alone", *BASELINES]:
            best: dict[str, float] = {}

            def evaluate(
                p: dict[str, Any],
                method: str = method,
                X: Array = X,
                y: Labels = y,
                seed: int = seed,
                best: dict[str, float] = best,
            ) -> float:
                found = METHODS[method].fit(p, X, views, seed)
                scores = [float(adjusted_rand_score(y, f)) for f in found]
                if float(np.mean(scores)) > best.get("ARI mean", -2.0):
                    best |= {f"ARI peer {k}": s for k, s in enumerate(scores)}
                    best["ARI mean"] = float(np.mean(scores))
                return float(np.mean(scores))

            best_score(evaluate, METHODS[method].space, trials, seed)
            for metric, value in best.items():
                measured.add(("Table 1", "multimodal", "2 peers", method, metric), value)
        model = ConsensusClustering(
            [DBSCAN(eps=2.0, min_samples=5), KMeans(3)], columns=views, random_state=seed
        ).fit(X)
        value = float(adjusted_rand_score(y, model.labels_))
        for metric in ("ARI peer 0", "ARI peer 1", "ARI mean"):
            cell = ("Table 1", "multimodal", "2 peers", "VertCoHiRF(DBSCAN, k-means)", metric)
            measured.add(cell, value)


def _figure_4(measured: Trials, X: Array, y: Labels, trials: int, seed: int) -> None:
    """Section 4.2: two to six peers; the private methods' grid stops them after four."""
    for n_peers in PEER_COUNTS:
        views = share_columns(X.shape[1], n_peers, random_state=seed)
        for method in [*BASELINES, "VertCoHiRF(k-means)", "VertCoHiRF(SC-SRGF)"]:
            if method.startswith("DPFMPS") and n_peers > 4:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                value = _Scores(method, X, y, views, seed).best("ARI", trials)
            cell = ("Figure 4", "alizadeh-2000-v2", f"{n_peers} peers", method, "ARI")
            measured.add(cell, value)
