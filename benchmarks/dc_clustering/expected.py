"""Table 5 without the luck of the draw: every way to share few columns between two parties.

    python -m benchmarks.dc_clustering.expected measure DATA SEEDS > dc-clustering-expected.csv
    python -m benchmarks.dc_clustering.expected tables dc-clustering-expected.csv

The paper deals columns at random in each trial. Four columns can be dealt in three ways and five
in ten, so the mean over all of them is what the tables sample. Beside collaboration stands the best
an alignment can do: k-means on rows from which each party's dropped dimension was taken away at its
own mean, in the units of the table. ``pendigits`` has k-means alone, for every number of clusters.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from benchmarks.dc_clustering.trials import METRICS, N_ROW_PARTIES, Problem, collaborate
from benchmarks.problems import Array
from benchmarks.tables import markdown
from consilience.datasets import Dataset, load, split_rows
from consilience.metrics import score

FEW = {"iris": "iris", "banknote": "banknote", "phoneme": "phoneme_elena"}
COLUMNS = ["data", "split", "method", "seed", *METRICS]
MAX_CLUSTERS = 20


def column_splits(n_columns: int) -> list[list[list[int]]]:
    """Return every way to deal columns evenly to two parties, whoever is the first.

    Examples
    --------
    >>> len(column_splits(4)), column_splits(4)[0]
    (3, [[0, 1], [2, 3]])
    """
    found = []
    for first in combinations(range(n_columns), n_columns // 2):
        second = [j for j in range(n_columns) if j not in first]
        if len(first) < len(second) or first[0] == 0:
            found.append([list(first), second])
    return found


def without_dropped(problem: Problem) -> Array:
    """Return the rows with each party's dropped dimension at its mean: what any map can know."""
    X = problem.X.copy()
    for party in np.unique(problem.parties):
        rows = problem.parties == party
        for columns in problem.columns:
            place = np.ix_(rows, columns)
            pca = PCA(len(columns) - 1).fit(X[place])
            X[place] = pca.inverse_transform(pca.transform(X[place]))
    return X


def measure(dataset: Dataset, split: Sequence[Sequence[int]], seed: int) -> Iterator[list[Any]]:
    """Yield the scores of every method for one way to deal columns."""
    k = int(dataset.y.max()) + 1
    parties = split_rows(len(dataset.y), N_ROW_PARTIES, random_state=seed)
    columns = [np.array(part) for part in split]
    problem = Problem(dataset.X, dataset.y, parties, columns, k, seed)
    found = {
        "pooled": _kmeans(problem.X, k, seed),
        "collaboration": collaborate(problem, "kmeans"),
        "best alignment": _kmeans(without_dropped(problem), k, seed),
    }
    for method, labels in found.items():
        yield [method, seed, *score(problem.y, labels)]


def _kmeans(X: Array, k: int, seed: int) -> Any:
    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def rows(data: Path, seeds: int) -> Iterator[list[Any]]:
    """Yield every line of the table."""
    for name, slug in FEW.items():
        dataset = load(slug, data=data)
        for split in column_splits(dataset.X.shape[1]):
            told = "+".join("".join(map(str, part)) for part in split)
            for seed in range(seeds):
                for line in measure(dataset, split, seed):
                    yield [name, told, *line]
    pendigits = load("pendigits", data=data)
    for k in range(2, MAX_CLUSTERS + 1):
        yield [
            "pendigits", f"k = {k}", "pooled", 0, *score(pendigits.y, _kmeans(pendigits.X, k, 0))
        ]  # fmt: skip


def differences(results: pd.DataFrame) -> pd.DataFrame:
    """Return, in per cent, how far the mean of each method over all splits is from pooled."""
    means = results[results.data.isin(FEW)].groupby(["data", "method"], sort=False)[
        list(METRICS)
    ].mean()  # fmt: skip
    pooled = means.xs("pooled", level="method")
    away = 100 * (means - pooled).abs() / pooled.abs()
    return away.mean(axis=1).unstack("method").drop(columns="pooled")


def tables(results: pd.DataFrame) -> str:
    """Return the differences of the sets with few columns, and pendigits for each k."""
    pendigits = results[results.data == "pendigits"][["split", *METRICS]]
    away = differences(results).reset_index()
    return markdown(away, 1) + "\n\n" + markdown(pendigits)


def main(arguments: Sequence[str]) -> None:
    """Measure, or show what was measured."""
    if arguments[0] == "tables":
        print(tables(pd.read_csv(arguments[1])))
        return
    print(",".join(COLUMNS))
    for *place, a, b, c in rows(Path(arguments[1]), int(arguments[2])):
        print(*place, *(f"{value:.4f}" for value in (a, b, c)), sep=",", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
