"""One data set dealt to peers, and the best score a method reaches on it within the budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score, pairwise_distances, silhouette_score

from consilience.bench.tuning import Range, Trial, search
from consilience.bench.vertcohirf_methods import METHODS, Joint, Peerwise, agree

__all__ = ["Metric", "Problem", "share_trials"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Metric = Literal["ARI", "SIL"]
SILHOUETTE_ROWS, N_TOP = 2_000, 5


def share_trials(trials: int) -> tuple[int, int]:
    """Split the budget of a consensus: five eighths for the peers alone, the rest together.

    The published scripts have 50 trials at each peer and then 30 together, and give every other
    method 50 in all; here the two stages share the budget of one method.

    Examples
    --------
    >>> share_trials(24), share_trials(1)
    ((15, 9), (1, 1))
    """
    alone = max(1, trials * 5 // 8)
    return alone, max(1, trials - alone)


class Problem:
    """Rows of known classes whose columns are dealt to peers.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Classes, for the adjusted Rand index.
    views : list of ndarray of int64
        The columns of each peer.
    seed : int
        Of the tuning.
    """

    def __init__(self, X: Array, y: Labels, views: list[Any], seed: int) -> None:
        self.X, self.y, self.views, self.seed = X, y, views, seed
        self._parts = [np.ascontiguousarray(X[:, view]) for view in views]
        self._distances: tuple[Labels, Array] | None = None
        self._known: dict[tuple[Any, ...], list[Labels]] = {}

    def best(self, name: str, metric: Metric, trials: int) -> float:
        """Tune a method for a metric and return its best score.

        Peers that stay alone are tuned each on their own, and the median of them counts.
        """
        return self.best_per_peer(name, metric, trials)[0]

    def best_per_peer(self, name: str, metric: Metric, trials: int) -> tuple[float, list[float]]:
        """Return the score of :meth:`best` and that of each peer in the same run."""
        method = METHODS[name]
        if isinstance(method, Joint):
            return self._search(name, metric, method.space, method.fit, trials)
        if not method.together:
            each = [t[0].score for t in self._alone(name, method, metric, trials)]
            return float(np.median(each)), each
        alone, together = share_trials(trials)
        top = [t[:N_TOP] for t in self._alone(name, method, metric, alone)]
        if not all(top):
            return float("nan"), [float("nan")] * len(self.views)

        def fit(p: dict[str, Any], X: Array, views: list[Any], seed: int) -> list[Labels]:
            chosen = [trials[p[f"peer {k}"]].parameters for k, trials in enumerate(top)]
            return [agree([method.step(c) for c in chosen], X, views, seed)]

        space: dict[str, Range] = {f"peer {k}": (0, len(t) - 1) for k, t in enumerate(top)}
        return self._search(f"{name}, {metric}", metric, space, fit, together)

    def _alone(self, name: str, method: Peerwise, metric: Metric, trials: int) -> list[list[Trial]]:
        """Let every peer search a setting for its own columns."""

        def score(k: int) -> Callable[[dict[str, Any], int], float]:
            def evaluate(p: dict[str, Any], seed: int) -> float:
                found = self._once(
                    (name, k, seed, *sorted(p.items())),
                    lambda: [method.alone(p, self._parts[k], seed)],
                )
                return self._scores(found, metric)[0]

            return evaluate

        return [search(score(k), method.space, trials, self.seed) for k in range(len(self.views))]

    def _search(
        self, name: str, metric: Metric, space: dict[str, Range], fit: Any, trials: int
    ) -> tuple[float, list[float]]:
        scores: dict[int, list[float]] = {}

        def evaluate(p: dict[str, Any], seed: int) -> float:
            found = self._once(
                (name, seed, *sorted(p.items())), lambda: fit(p, self.X, self.views, seed)
            )
            scores[seed] = self._scores(found, metric)
            return float(np.mean(scores[seed]))

        tried = search(evaluate, space, trials, self.seed)
        if not tried:
            return float("nan"), [float("nan")] * len(self.views)
        each = next(s for s in scores.values() if float(np.mean(s)) == tried[0].score)
        return tried[0].score, each * (len(self.views) // len(each))

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
