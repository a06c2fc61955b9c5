"""How many neighbours a row has in the graph of spectral clustering.

    python -m benchmarks.neighbors measure DATA TRIALS [SET ...] > neighbors.csv
    python -m benchmarks.neighbors count > neighbors-how-many.csv
    python -m benchmarks.neighbors tables neighbors.csv neighbors-how-many.csv

Sets, units and parties are those of :mod:`benchmarks.population`, default setting: half of the
dimensions, 5 x 2 parties; the odd sets served to choose, the even ones were held out. What is
compared is the study with the pooled rows, both with the same number of neighbours. ``count`` lets
``n_clusters="auto"`` choose on the made-up rows of :mod:`benchmarks.how_many`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks.how_many import HALVES, long_sets, odd_sets, round_sets
from benchmarks.population import CHOSEN_ON, SETS, contributions, in_units, institutions_of, read
from benchmarks.tables import markdown
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.clustering import cluster
from consilience.collaboration.selection import choose_spectral

TRIED = (10, 20, 40)
MEASURES = ["agreement", "with institutions", "classes", "classes by pooled"]
KINDS = {"round": round_sets, "odd": odd_sets, "long": long_sets}


def measure(name: str, data: str, trials: int) -> Iterator[list[Any]]:
    """Yield, for each number and trial, agreement with pooled, NMI, and ARI with the classes."""
    X, y, k = read(name, data)
    pooled = {n: cluster(in_units(X), "spectral", k, n_neighbors=n, seed=0).labels for n in TRIED}
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        parties = institutions_of(X, y, "default", 5, rng)
        messages = list(contributions(X, parties, "default", rng))
        for n in TRIED:
            analyst = Analyst(
                [str(i) for i in range(5)], ["0", "1"], method="spectral", n_clusters=k,
                n_neighbors=n, target="population", seed=trial,
            )  # fmt: skip
            for message in messages:
                analyst.receive(message)
            ours = np.empty(len(X), dtype=np.int64)
            ours[np.argsort(parties, kind="stable")] = analyst.partition.labels
            yield [
                *(name, n, trial),
                adjusted_rand_score(pooled[n], ours),
                normalized_mutual_info_score(parties, ours),
                adjusted_rand_score(y, ours),
                adjusted_rand_score(y, pooled[n]),
            ]


def count() -> Iterator[list[Any]]:
    """Yield the number of clusters that is chosen with each number of neighbours."""
    for half, seed in HALVES.items():
        for kind, draw in KINDS.items():
            for name, k, X in draw(seed):
                yield [
                    half,
                    kind,
                    f'"{name}"',
                    k,
                    *(choose_spectral(X, n).n_clusters for n in TRIED),
                ]


def tables(results: pd.DataFrame, chosen: pd.DataFrame) -> str:
    """Return the means of each half, how often k is right, and the agreement on each set."""
    results["half"] = np.where(results.data.isin(CHOSEN_ON), "chosen on", "held out")
    each = results.pivot_table("agreement", ["half", "data"], "neighbors").reset_index()
    sets = each.groupby("half").data.count().rename("sets")
    means = results.groupby(["half", "neighbors"])[MEASURES].mean().reset_index()
    right = pd.DataFrame({n: chosen[str(n)] == chosen.k for n in TRIED})
    right = right.groupby([chosen.half, chosen.kind], sort=False).agg(["sum"]).droplevel(1, axis=1)
    right.insert(0, "sets", chosen.groupby(["half", "kind"], sort=False).size())
    parts = [means.merge(sets, on="half"), right.reset_index(), each]
    return "\n\n".join(markdown(part.rename(columns=str)) for part in parts)


def main(arguments: Sequence[str]) -> None:
    """Measure, or show what was measured."""
    if arguments[0] == "tables":
        print(tables(*(pd.read_csv(path) for path in arguments[1:])))
    elif arguments[0] == "count":
        print("half,kind,data,k", *TRIED, sep=",")
        for row in count():
            print(*row, sep=",", flush=True)
    else:
        print("data,neighbors,trial", *MEASURES, sep=",")
        for name in arguments[3:] or SETS:
            for *place, a, b, c, d in measure(name, arguments[1], int(arguments[2])):
                print(*place, *(f"{value:.4f}" for value in (a, b, c, d)), sep=",", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
