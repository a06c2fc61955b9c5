"""Every method of clustering by collaboration, against the same method on the pooled rows.

    python -m benchmarks.methods measure DATA TRIALS [SET ...] > methods.csv
    python -m benchmarks.methods tables methods.csv

Sets, units and parties are those of :mod:`benchmarks.population`, default setting: half of the
dimensions, 5 x 2 parties. No choice was made on these sets: Ward's method has none, and Gaussians
are round for a reason that does not depend on data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks.population import HELD_OUT, contributions, in_units, institutions_of, read
from benchmarks.tables import markdown
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.clustering import METHODS, cluster

MEASURES = ["agreement", "with institutions", "classes", "classes by pooled"]
COLUMNS = ["data", "method", "trial", *MEASURES]


def measure(name: str, method: str, data: str, trial: int) -> list[float]:
    """Return agreement with pooled, NMI with institutions, and ARI with the classes of both."""
    X, y, k = read(name, data)
    rng = np.random.default_rng(trial)
    parties = institutions_of(X, y, "default", 5, rng)
    analyst = Analyst(
        [str(i) for i in range(5)], ["0", "1"], method=method, n_clusters=k,
        target="population", seed=trial,
    )  # fmt: skip
    for message in contributions(X, parties, "default", rng):
        analyst.receive(message)
    ours = np.empty(len(X), dtype=np.int64)
    ours[np.argsort(parties, kind="stable")] = analyst.partition.labels
    pooled = cluster(in_units(X), method, k, seed=trial).labels
    return [
        adjusted_rand_score(pooled, ours),
        normalized_mutual_info_score(parties, ours),
        adjusted_rand_score(y, ours),
        adjusted_rand_score(y, pooled),
    ]


def rows(data: str, trials: int, names: Sequence[str]) -> Iterator[list[Any]]:
    """Yield every measurement of the sets named."""
    for name in names or HELD_OUT:
        for method in METHODS:
            for trial in range(trials):
                yield [name, method, trial, *measure(name, method, data, trial)]


def tables(results: pd.DataFrame) -> str:
    """Return the means over sets and trials, and the agreement on each set."""
    whole = results.groupby("method", sort=False)[MEASURES].mean()
    each = results.pivot_table("agreement", "data", "method", sort=False)
    return markdown(whole.reset_index()) + "\n\n" + markdown(each.reset_index())


def main(arguments: Sequence[str]) -> None:
    """Measure, or show what was measured."""
    if arguments[0] == "tables":
        print(tables(pd.read_csv(arguments[1])))
        return
    print(",".join(COLUMNS))
    for *place, a, b, c, d in rows(arguments[1], int(arguments[2]), arguments[3:]):
        print(*place, *(f"{value:.4f}" for value in (a, b, c, d)), sep=",", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
