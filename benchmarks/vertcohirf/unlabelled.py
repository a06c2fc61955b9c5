"""Peers that are told nothing: no class, no number of groups, and a liar among them.

    CONSILIENCE_DATA=DIR python -m benchmarks.vertcohirf.unlabelled [SET ...]

For each set, with its columns dealt at random to two peers, and from two seeds: the adjusted Rand
index with the classes of the steady profile without any setting, of the paper's with three and with
eight groups, of votes, and of Distr.KMeans that is told the number of classes; the agreement of two
runs that differ in the seed alone; and, with three peers, what is left of the veto and of votes if
one of the three deals rows to twenty groups at random, which no guard refuses. The steady profile
was chosen on the first half of the sets; the second half was not looked at before. Results go to
benchmarks/results/peers-unlabelled.csv; a set that is named replaces its own rows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from consilience import ConsensusClustering
from consilience.baselines import DistributedKMeans
from consilience.datasets import load, multimodal, split_columns

__all__ = ["CHOSEN_ON", "REPORTED", "RandomGroups", "measure"]

CHOSEN_ON = (
    *("dry_bean", "pendigits", "optdigits", "rice", "iris", "banknote", "shuttle", "multimodal"),
)
REPORTED = (
    *("mozilla4", "yeast", "abalone", "mfeat-factors", "cardiotocography", "magic"),
    *("phoneme", "wall-robot-navigation"),
)
N_ROWS, SEEDS = 1_000, (0, 1)
RESULTS = Path(__file__).parents[1] / "results" / "peers-unlabelled.csv"
METHODS: dict[str, dict[str, Any]] = {
    "steady": {},
    "paper, 3 groups": {"profile": "paper", "n_groups": 3},
    "paper, 8 groups": {"profile": "paper", "n_groups": 8},
    "votes": {"rule": "votes"},
}


class RandomGroups(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Deals rows to groups at random."""

    def __init__(self, n_clusters: int = 20, random_state: int | None = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """Label the rows."""
        return np.random.default_rng(self.random_state).integers(self.n_clusters, size=len(X))


def measure(X: Any, y: Any, seed: int, dealt: Any = None) -> Iterator[tuple[str, str, float]]:
    """Yield (method, measure, value) for one table."""
    two: list[Any] = dealt or list(split_columns(X.shape[1], 2, random_state=seed))
    for method, given in METHODS.items():
        models = [
            ConsensusClustering(columns=two, random_state=10 * seed + k, **given).fit(X)
            for k in range(2)
        ]
        yield method, "ARI", adjusted_rand_score(y, models[0].labels_)
        first = models[0].hierarchy_.cut(min(1, models[0].hierarchy_.n_levels))
        yield method, "ARI after iteration 1", adjusted_rand_score(y, first)
        yield method, "clusters", models[0].n_clusters_
        labels = [model.labels_ for model in models]
        yield method, "agreement between seeds", adjusted_rand_score(*labels)
    told = DistributedKMeans(len(np.unique(y)), columns=two, random_state=seed).fit(X)
    yield "Distr.KMeans, told k", "ARI", adjusted_rand_score(y, told.labels_)
    three = [*two, two[0]]
    for rule in ("veto", "votes"):
        for liars, last in (("honest", None), ("one liar", RandomGroups())):
            model = ConsensusClustering(
                [None, None, last], columns=three, rule=rule, random_state=seed
            ).fit(X)
            yield f"{rule}, three peers, {liars}", "ARI", adjusted_rand_score(y, model.labels_)


def table(name: str) -> tuple[Any, Any, Any]:
    """Return at most so many rows of a set, its classes, and its columns if they are dealt."""
    if name == "multimodal":
        return *multimodal(random_state=0), [[0, 1, 2], [3, 4]]
    data = load(name)
    rows = np.random.default_rng(0).permutation(len(data.y))[:N_ROWS]
    numbers = data.frame.select_dtypes(include=["number"]).to_numpy(dtype=np.float64)
    return StandardScaler().fit_transform(numbers[rows]), data.y[rows], None


def main(names: list[str]) -> None:
    """Measure the sets named, or all, and write and print what was found."""
    for name in names or (*CHOSEN_ON, *REPORTED):
        X, y, dealt = table(name)
        half = "chosen on" if name in CHOSEN_ON else "reported"
        rows = [(half, name, s, *found) for s in SEEDS for found in measure(X, y, s, dealt)]
        frame = pd.DataFrame(rows, columns=["half", "data", "seed", "method", "measure", "value"])
        if RESULTS.exists():
            others = pd.read_csv(RESULTS)
            frame = pd.concat([others[others.data != name], frame])
        frame.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")
    frame = pd.read_csv(RESULTS)
    wide = frame.pivot_table(index=["measure", "method"], columns="half", values="value")
    print(wide.round(3).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
