"""Other rules for public spreads, and whether they bring clusters nearer to the classes.

    python -m benchmarks.scaling_rules DATA > benchmarks/results/scaling-rules.csv

On the mixed sets of :mod:`benchmarks.scaling` that choices are made on, and on no other: k-means on
pooled rows, in units of spreads made by several rules from the rows of one institution.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.scaling import (
    HELD_OUT,
    MAX_CLUSTERS,
    MIXED,
    N_INSTITUTIONS,
    Array,
    R,
    read,
    schema_of,
)
from consilience.datasets import split_rows
from consilience.study.schema import Categorical, Schema

CHOSEN_ON = [*(name for name in MIXED if name not in HELD_OUT), *list(R)[::2]]
FLOORS = {"at least an eighth": 8, "at least a twelfth": 12, "at least a fortieth": 40}
"""Numbers: a spread of at least this share of the width of the bounds."""
WEIGHTS = {"root of K - 1": 0.5, "K - 1": 1.0}
"""Categories: this much variance in all, where the drafted rule gives 1."""
N_TRIALS = 3


def spreads_by_rule(schema: Schema, example: pd.DataFrame) -> dict[str, Array]:
    """Return the unit of each column of the matrix, by each rule.

    Parameters
    ----------
    schema : Schema
        With the spreads of the drafted rule.
    example : DataFrame
        Rows of the institution that drafts.
    """
    columns = schema.columns
    widths = [len(c.categories) if isinstance(c, Categorical) else 1 for c in columns.values()]
    choice = np.repeat([isinstance(c, Categorical) for c in columns.values()], widths)
    kinds = np.repeat(widths, widths)
    drafted = np.repeat([c.usual_spread for c in columns.values()], widths)
    lower, upper = schema.bounds
    rules = {"as drafted": drafted, "by quantiles": drafted.copy()}
    for name, place in zip(columns, np.cumsum(widths) - widths, strict=True):
        if not choice[place]:
            low, high = example[name].astype(float).quantile([0.1, 0.9])
            rules["by quantiles"][place] = (high - low) / 2.563 or drafted[place]
    for rule, share in FLOORS.items():
        rules[rule] = np.where(choice, drafted, np.maximum(drafted, (upper - lower) / share))
    for rule, power in WEIGHTS.items():
        rules[rule] = drafted / np.where(choice, np.maximum(kinds - 1, 1) ** (power / 2), 1.0)
    return rules


def main(data: str, *sets: str) -> None:
    """Write a line per set and rule, the mean of all trials."""
    print("data,rule,classes")
    for name in sets or CHOSEN_ON:
        table, y = read(name, data)
        k = min(MAX_CLUSTERS, int(y.max()) + 1)
        found: dict[str, list[float]] = {}
        for trial in range(N_TRIALS):
            example = table[split_rows(len(y), N_INSTITUTIONS, random_state=trial) == 0]
            schema = schema_of(table, example)
            X = schema.encode(table).matrix
            for rule, spreads in spreads_by_rule(schema, example).items():
                labels = KMeans(k, n_init=10, random_state=trial).fit_predict(X / spreads)
                found.setdefault(rule, []).append(adjusted_rand_score(y, labels))
        for rule, values in found.items():
            print(f"{name},{rule},{np.mean(values):.4f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
