"""Tables with many more columns than rows, aligned by the population and by the paper's target.

    python -m benchmarks.wide measure DATA TRIALS [SET ...] > wide.csv
    python -m benchmarks.wide tables wide.csv

Sets of genes and pictures, 2,000 of their columns drawn once, in units of their bounds, rows dealt
to three institutions that keep half of the dimensions. What few rows need was found on the odd sets
in alphabetical order, the even ones were held out. With so few rows two pooled clusterings seldom
agree, so that *likeness* is measured too: the cosine between the inner products of the rows about
their mean in the study and those of the pooled rows, 1 if all distances are kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.population import in_units
from benchmarks.tables import markdown
from consilience import CollaborationClustering

Array = npt.NDArray[np.float64]

SETS = ["alizadeh-2000-v2", "allaml", "garber-2001", "leukemia", "tox_171", "warpar10p"]
CHOSEN_ON = SETS[::2]
MAX_COLUMNS, MAX_CLUSTERS, N_INSTITUTIONS = 2_000, 10, 3
MEASURES = ["likeness", "agreement", "pooled twice", "CPU seconds"]


def read(name: str, data: str) -> tuple[Array, int]:
    """Return the rows in units of their bounds, and the number of clusters."""
    table = pd.read_csv(Path(data) / f"{name}.csv.gz")
    k = min(MAX_CLUSTERS, table.pop("label").nunique())
    columns = np.random.default_rng(0).permutation(table.shape[1])[:MAX_COLUMNS]
    return in_units(table.to_numpy(float)[:, columns]), k


def likeness(X: Array, Z: Array) -> float:
    """Return the cosine between the inner products of rows in two representations.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> round(likeness(X, 3 * X[:, ::-1] + 5), 6)
    1.0
    """
    (a, b), (c, d) = ((G, np.linalg.norm(G)) for G in map(_inner, (X, Z)))
    return float((a * c).sum() / (b * d))


def _inner(X: Array) -> Array:
    centred = X - X.mean(axis=0)
    return np.asarray(centred @ centred.T)


def measure(X: Array, k: int, target: str, trial: int) -> list[float]:
    """Return the measures of one trial."""
    pooled, again = (
        KMeans(k, n_init=50, random_state=s).fit_predict(X) for s in (trial, trial + 1000)
    )
    parties = np.random.default_rng(trial).permutation(len(X)) % N_INSTITUTIONS
    start = time.process_time()
    model = CollaborationClustering(
        k, n_components=X.shape[1] // 2, scaling="bounds", target=target, random_state=trial
    ).fit(X, parties=parties)
    taken = time.process_time() - start
    return [
        likeness(X, model.representation_),
        adjusted_rand_score(pooled, model.labels_),
        adjusted_rand_score(pooled, again),
        taken,
    ]


def rows(data: str, trials: int, names: Sequence[str]) -> Iterator[list[Any]]:
    """Yield every measurement of the sets named."""
    for name in names or SETS:
        X, k = read(name, data)
        for target in ("scaled", "population"):
            for trial in range(trials):
                yield [name, *X.shape, target, trial, *measure(X, k, target, trial)]


def tables(results: pd.DataFrame) -> str:
    """Return the means of each set and target."""
    results["half"] = np.where(results.data.isin(CHOSEN_ON), "chosen on", "held out")
    places = ["half", "data", "rows", "columns", "target"]
    return markdown(results.groupby(places)[MEASURES].mean().reset_index())


def main(arguments: Sequence[str]) -> None:
    """Measure, or show what was measured."""
    if arguments[0] == "tables":
        print(tables(pd.read_csv(arguments[1])))
        return
    print("data,rows,columns,target,trial", *MEASURES, sep=",")
    for *place, a, b, c, d in rows(arguments[1], int(arguments[2]), arguments[3:]):
        print(*place, *(f"{value:.3f}" for value in (a, b, c, d)), sep=",", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
