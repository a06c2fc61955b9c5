"""One data set dealt to peers, and the best score a method reaches on it within the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.metrics import adjusted_rand_score, pairwise_distances, silhouette_score

from benchmarks.problems import Array, Labels
from benchmarks.vertcohirf.methods import METHODS, Method
from benchmarks.vertcohirf.tuning import search

Metric = Literal["ARI", "SIL"]
METRICS: tuple[Metric, ...] = ("ARI", "SIL")
SILHOUETTE_ROWS = 2_000


class Problem:
    """Rows of known classes whose columns are dealt to peers; ``seed`` is that of the tuning."""

    def __init__(self, X: Array, y: Labels, views: list[Any], seed: int) -> None:
        self.X, self.y, self.views, self.seed = X, y, views, seed
        self._distances: tuple[Labels, Array] | None = None
        self._known: dict[tuple[Any, ...], list[Labels]] = {}

    def best(self, name: str, metric: Metric, trials: int, method: Method | None = None) -> float:
        """Tune a method for a metric and return its best score.

        Peers that stay alone are tuned each on their own, and the median of them counts. ``method``
        stands in for the one of that name, to search it in another space.
        """
        return self.best_per_peer(name, metric, trials, method)[0]

    def best_per_peer(
        self, name: str, metric: Metric, trials: int, method: Method | None = None
    ) -> tuple[float, list[float]]:
        """Return the score of :meth:`best` and that of each peer in the same run."""
        method, peers = method or METHODS[name], range(len(self.views))
        if not method.apart:
            return self._search(name, method, metric, trials, peers)
        each = [self._search(name, method, metric, trials, [k])[0] for k in peers]
        return float(np.median(each)), each

    def _search(
        self, name: str, method: Method, metric: Metric, trials: int, peers: Sequence[int]
    ) -> tuple[float, list[float]]:
        views = [self.views[k] for k in peers]
        scores: dict[int, list[float]] = {}

        def evaluate(p: dict[str, Any], seed: int) -> float:
            found = self._once(
                (name, *peers, seed, *sorted(p.items())),
                lambda: method.fit(p, self.X, views, seed),
            )
            scores[seed] = self._scores(found, metric)
            return float(np.mean(scores[seed]))

        tried = search(evaluate, method.space, trials, self.seed)
        if not tried:
            return float("nan"), [float("nan")] * len(views)
        each = next(s for s in scores.values() if float(np.mean(s)) == tried[0].score)
        return tried[0].score, each * (len(views) // len(each))

    def _once(self, key: tuple[Any, ...], fit: Callable[[], list[Labels]]) -> list[Labels]:
        """Fit a setting once for both metrics; one that needs too much memory has no labels."""
        if key not in self._known:
            try:
                self._known[key] = fit()
            except MemoryError:
                self._known[key] = []
        return self._known[key]

    def _scores(self, labels: list[Labels], metric: Metric) -> list[float]:
        """Score the labels of each peer; more clusters than half the rows make a failed trial."""
        if not labels or any(2 * len(np.unique(found)) > len(found) for found in labels):
            return [float("nan")]
        distinct = labels[:1] if all(found is labels[0] for found in labels) else labels
        if metric == "ARI":
            return [float(adjusted_rand_score(self.y, found)) for found in distinct]
        return [self._silhouette(found) for found in distinct]

    def _silhouette(self, labels: Labels) -> float:
        """Silhouette on all columns; -1 where it is not defined; at most 2,000 rows, seeded."""
        if self._distances is None:
            rows = np.arange(len(self.X))
            if len(rows) > SILHOUETTE_ROWS:
                rows = np.random.default_rng(0).choice(len(rows), SILHOUETTE_ROWS, replace=False)
            self._distances = rows, pairwise_distances(self.X[rows])
            np.fill_diagonal(self._distances[1], 0.0)
        rows, distances = self._distances
        if not 2 <= len(np.unique(labels[rows])) < len(rows):
            return -1.0
        return float(silhouette_score(distances, labels[rows], metric="precomputed"))
