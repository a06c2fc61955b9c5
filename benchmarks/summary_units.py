"""What summaries find in the units that a draft proposes, ``scaling = "spread"``.

    CONSILIENCE_DATA=DIR python -m benchmarks.summary_units measure [TABLE ...] > summary-units.csv
    python -m benchmarks.summary_units tables summary-units.csv

Tables, institutions and the measure are those of :mod:`benchmarks.summaries`: the share of what two
runs of k-means on the pooled rows in the same units agree on. Bounds, centres and spreads are those
that ``consilience init`` reads from a table, all numeric columns; a person would correct them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from benchmarks.problems import Array
from benchmarks.summaries import CHOOSING, DELTA, MIN_ROWS, N_PARTIES, REPORTING, read
from benchmarks.tables import markdown
from consilience import SummaryClustering
from consilience.metrics import agreement
from consilience.study.draft import infer_columns
from consilience.study.schema import REACH, Schema

WAYS = {"epsilon .5": 0.5, "epsilon 1": 1.0, "epsilon 4": 4.0, "means of 10": None}
N_RUNS = 3


def drafted(X: Array) -> tuple[Array, Array, Array]:
    """Return lower and upper bounds and spreads, as a draft of the table has them."""
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    table.insert(0, "id", np.arange(len(X)))
    schema = Schema.model_validate({"columns": infer_columns(table, "id")})
    (lower, upper), (low, high) = schema.bounds, schema.ranges
    return np.maximum(lower, low), np.minimum(upper, high), (high - low) / (2 * REACH)


def measure(X: Array, k: int) -> Iterator[list[Any]]:
    """Yield way, run, agreement, what two pooled runs agree on, and the share."""
    lower, upper, spreads = drafted(X)
    Z = np.clip(X, lower, upper) / spreads
    runs = [KMeans(k, n_init=10, random_state=seed).fit_predict(Z) for seed in range(3)]
    ceiling = float(np.mean([agreement(run, runs[0]) for run in runs[1:]]))
    for way, epsilon in WAYS.items():
        for seed in range(N_RUNS if epsilon else 1):
            parties = np.random.default_rng(seed).permutation(len(X)) % N_PARTIES
            model = SummaryClustering(
                k, epsilon=epsilon, delta=DELTA, bounds=(lower, upper), spreads=spreads,
                min_rows=None if epsilon else MIN_ROWS, random_state=seed,
            )  # fmt: skip
            found = agreement(model.fit(X, parties=parties).labels_, runs[0])
            yield [way, seed, found, ceiling, min(1.0, found / ceiling)]


def tables(results: pd.DataFrame) -> str:
    """Return the mean share of each table and way, the reporting half last, and the means."""
    half = np.where(results.data.isin(REPORTING), "reporting", "choosing")
    each = results.pivot_table("share", [half, "data"], "way")[list(WAYS)]
    each.insert(0, "two pooled runs", results.groupby([half, "data"])["two pooled runs"].mean())
    means = each.groupby(level=0).mean()
    means.index = pd.MultiIndex.from_tuples([(name, "**mean**") for name in means.index])
    whole = pd.concat([each, means]).sort_index(level=0, sort_remaining=False)
    return markdown(whole.rename_axis(["half", "data"]).reset_index())


def main(arguments: Sequence[str]) -> None:
    """Measure, or show what was measured."""
    if arguments[0] == "tables":
        print(tables(pd.read_csv(arguments[1])))
        return
    print("data,rows,columns,clusters,way,run,agreement,two pooled runs,share")
    for name in arguments[1:] or (*CHOOSING, *REPORTING):
        X, k = read(name)
        for way, seed, *figures in measure(X, k):
            print(name, *X.shape, k, way, seed, *(f"{f:.4f}" for f in figures), sep=",", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
