"""K-means of a million rows that nobody may pool, against pooled k-means.

    python -m benchmarks.speed.kmeans

All parties' work plus the analyst's (10 x 2 parties, 16 columns), against scikit-learn's ``KMeans``
on the pooled rows as people call it, and with ten starts. *Apart*: as many gaussian clusters as are
asked for; *touching*: forty that overlap, of different sizes and widths; *fresh*: forty others, on
which nothing was chosen. Each measurement runs in a fresh process with one thread. Inertia is that
of the labels on the pooled rows, about the means of their clusters. *Represented*: ten starts with
all rows of the representation that the analyst has, which tells what is lost with the dimension
every party drops from what is lost by looking for the start on samples. Results go to
benchmarks/results/speed-kmeans.csv; what is there is not run again.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import pandas as pd

from benchmarks.speed.fresh import ROOT, in_fresh_processes, record

ROWS, COLUMNS = 1_000_000, 16
WAYS = ("pooled", "pooled ten", "represented ten", "collaboration")
SETS = {"apart": 0, "touching": 0, "fresh": 1}
CASES = (("apart", 10), ("apart", 50), ("touching", 10), ("fresh", 10), ("touching", 50))
MAX_OF_TEN, MAX_OF_ONE, MAX_INERTIA = 0.35, 2.0, 1.001


def make_rows(name: str, k: int):
    """Draw the rows of one set."""
    import numpy as np

    rng = np.random.default_rng(SETS[name])
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
    from consilience.datasets import split_columns, split_rows

    warnings.simplefilter("ignore")
    way, name = what.split(", ")
    X = make_rows(name, k)
    parties = split_rows(ROWS, 10, random_state=0)
    columns = split_columns(COLUMNS, 2, random_state=0)
    # Load libraries, which are no part of what is compared.
    KMeans(2, n_init=1).fit(X[:200])
    CollaborationClustering(2, columns=columns).fit(X[:200], parties=parties[:200])
    model = CollaborationClustering(k, columns=columns, random_state=0)
    Z = model.fit(X, parties=parties).representation_ if way == "represented ten" else X
    start = time.process_time()
    if way == "collaboration":
        labels = model.fit_predict(X, parties=parties)
    else:
        n_init = "auto" if way == "pooled" else 10
        labels = KMeans(k, n_init=n_init, random_state=0).fit_predict(Z)
    seconds = time.process_time() - start
    found = {"cpu_seconds": seconds, "inertia": inertia_of(X, labels)}
    if way == "collaboration":
        found["represented"] = inertia_of(model.representation_, labels)
    elif way == "represented ten":
        found["represented"] = inertia_of(Z, labels)
    return found


def inertia_of(X, labels) -> float:
    """Return the mean squared distance of rows from the mean of their cluster."""
    from consilience.collaboration.partition import cluster_means

    return float(((X - cluster_means(X, labels)[labels]) ** 2).sum() / len(X))


def main() -> None:
    """Measure what is not recorded yet, print the ratios, and say which miss their goal."""
    path = ROOT / "benchmarks" / "results" / "speed-kmeans.csv"
    known = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["what", "k"])
    done = set(zip(known["what"], known["k"], strict=True))
    for name, k in CASES:
        plan = [(f"{way}, {name}", k) for way in WAYS if (f"{way}, {name}", k) not in done]
        if plan:
            found = in_fresh_processes("benchmarks.speed.kmeans", plan)
            known = pd.concat([known, found.rename(columns={"rows": "k"})])
            record(known, "kmeans", digits=6)
        _compare(known.set_index(["what", "k"]), name, k)


def _compare(found: pd.DataFrame, name: str, k: int) -> None:
    one, ten, represented, ours = (found.loc[(f"{way}, {name}", k)] for way in WAYS)
    of_ten, of_one = ours.cpu_seconds / ten.cpu_seconds, ours.cpu_seconds / one.cpu_seconds
    searched = ours.represented / represented.represented
    dropped = represented.inertia / ten.inertia
    print(f"{name}, k = {k}: {of_ten:.2f} x ten starts, {of_one:.2f} x KMeans()")
    print(
        f"  inertia {ours.inertia / ten.inertia:.4f} of ten starts; ten starts with what the "
        f"analyst has {dropped:.4f}; there, ours {searched:.4f} of ten starts"
    )
    for figure, goal in ((of_ten, MAX_OF_TEN), (of_one, MAX_OF_ONE), (searched, MAX_INERTIA)):
        if figure > goal:
            print(f"  {figure:.4f} is above {goal}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
