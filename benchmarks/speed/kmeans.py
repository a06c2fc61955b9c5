"""K-means of a million rows that nobody may pool, against pooled k-means.

    python -m benchmarks.speed.kmeans

All parties' work plus the analyst's (10 x 2 parties, 16 columns), against scikit-learn's ``KMeans``
on the pooled rows as people call it, and with ten starts. *Apart*: as many gaussian clusters as are
asked for; *touching*: forty that overlap, of different sizes and widths. Each measurement runs in a
fresh process with one thread. Inertia is that of the labels on the pooled rows, about the means of
their clusters. Results go to benchmarks/results/speed-kmeans.csv; what is there is not run again.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import pandas as pd

from benchmarks.speed.fresh import ROOT, in_fresh_processes, record

ROWS, COLUMNS = 1_000_000, 16
WAYS = ("pooled", "pooled ten", "collaboration")
SETS = ("apart", "touching")
NUMBERS = (10, 50)
MAX_OF_TEN, MAX_OF_ONE, MAX_INERTIA = 0.35, 2.0, 1.001


def make_rows(name: str, k: int):
    """Draw the rows of one set."""
    import numpy as np

    rng = np.random.default_rng(0)
    if name == "apart":
        centers = rng.uniform(-10, 10, size=(k, COLUMNS))
        return centers[rng.integers(k, size=ROWS)] + rng.normal(scale=2.0, size=(ROWS, COLUMNS))
    centers, widths = rng.normal(scale=1.5, size=(40, COLUMNS)), rng.uniform(0.7, 2.0, size=(40, 1))
    which = rng.choice(40, size=ROWS, p=rng.dirichlet(np.full(40, 2.0)))
    return centers[which] + widths[which] * rng.normal(size=(ROWS, COLUMNS))


def measure(what: str, k: int) -> dict[str, float]:
    """Cluster once; report CPU seconds and inertia per row."""
    from sklearn.cluster import KMeans

    from consilience import CollaborationClustering
    from consilience.collaboration.partition import cluster_means
    from consilience.datasets import split_columns, split_rows

    warnings.simplefilter("ignore")
    way, name = what.split(", ")
    X = make_rows(name, k)
    parties = split_rows(ROWS, 10, random_state=0)
    columns = split_columns(COLUMNS, 2, random_state=0)
    # Load libraries, which are no part of what is compared.
    KMeans(2, n_init=1).fit(X[:200])
    CollaborationClustering(2, columns=columns).fit(X[:200], parties=parties[:200])
    start = time.process_time()
    if way == "collaboration":
        model = CollaborationClustering(k, columns=columns, random_state=0)
        labels = model.fit_predict(X, parties=parties)
    else:
        n_init = 10 if way == "pooled ten" else "auto"
        labels = KMeans(k, n_init=n_init, random_state=0).fit_predict(X)
    seconds = time.process_time() - start
    inertia = ((X - cluster_means(X, labels)[labels]) ** 2).sum() / ROWS
    return {"cpu_seconds": seconds, "inertia": float(inertia)}


def main() -> None:
    """Measure what is not recorded yet, print the ratios, and say which miss their goal."""
    path = ROOT / "benchmarks" / "results" / "speed-kmeans.csv"
    known = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["what", "k"])
    done = set(zip(known["what"], known["k"], strict=True))
    for name in SETS:
        for k in NUMBERS:
            plan = [(f"{way}, {name}", k) for way in WAYS if (f"{way}, {name}", k) not in done]
            if plan:
                found = in_fresh_processes("benchmarks.speed.kmeans", plan)
                known = pd.concat([known, found.rename(columns={"rows": "k"})])
                record(known, "kmeans", digits=6)
            _compare(known.set_index(["what", "k"]), name, k)


def _compare(found: pd.DataFrame, name: str, k: int) -> None:
    one, ten, ours = (found.loc[(f"{way}, {name}", k)] for way in WAYS)
    of_ten, of_one = ours.cpu_seconds / ten.cpu_seconds, ours.cpu_seconds / one.cpu_seconds
    inertia = ours.inertia / ten.inertia
    print(f"{name}, k = {k}: {of_ten:.2f} x ten starts, {of_one:.2f} x KMeans(), {inertia:.4f}")
    for figure, goal in ((of_ten, MAX_OF_TEN), (of_one, MAX_OF_ONE), (inertia, MAX_INERTIA)):
        if figure > goal:
            print(f"  {figure:.4f} is above {goal}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
