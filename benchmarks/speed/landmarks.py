"""Spectral clustering of landmarks against that of all rows.

    CONSILIENCE_DATA=FOLDER python -m benchmarks.speed.landmarks            # everything
    CONSILIENCE_DATA=FOLDER python -m benchmarks.speed.landmarks magic moons  # these anew

Seconds: two moons in nine dimensions (seven of them noise), to a million rows; of all rows to
100,000. Agreement: all sets with more than 10,000 rows there are, their numeric columns
standardised, as many clusters as classes, ten neighbours, the adjusted Rand index with the classes,
and with the clusters of all rows. How landmarks are found was chosen on every other set by the
alphabet, and is reported on those between. Landmarks, and what else depends on chance, with three
seeds. *Nine in ten* is what spectral clustering of all rows itself is worth: the graph of nine
rows in ten, drawn at random, the others by their nearest; where the graph of all took no longer
than 10 seconds. One thread, CPU seconds; moons each in a fresh process. Results go
to benchmarks/results/speed-landmarks.csv.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from benchmarks.speed.fresh import ROOT, in_fresh_processes, record

CHOSEN_ON = (
    *("adult", "covertype_kaggle", "electricity", "mozilla4", "pendigits"),
    "skin_segmentation",
)
REPORTED = ("bank-marketing", "dry_bean", "magic", "nursery", "shuttle")
SETS = tuple(sorted(CHOSEN_ON + REPORTED))
SEEDS = (0, 1, 2)
MAX_ROWS, DRAWN_ROWS = 40_000, 30_000
"""Of more rows that many are drawn."""
MAX_SECONDS = 10
SIZES = (100_000, 1_000_000)
MAX_EXACT = 100_000


def make_moons(n: int):
    """Draw two moons in a plane, and seven columns of noise."""
    import numpy as np
    from sklearn.datasets import make_moons as draw

    plane, y = draw(n, noise=0.08, random_state=0)
    return np.hstack([plane, np.random.default_rng(0).normal(scale=0.08, size=(n, 7))]), y


def read_set(name: str):
    """Return the numeric columns of a set, standardised, and its classes."""
    import numpy as np
    import pandas as pd
    from sklearn.preprocessing import StandardScaler

    table = pd.read_parquet(Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.parquet")
    y, table = pd.factorize(table["label"])[0], table.drop(columns="label")
    X = table.select_dtypes("number").to_numpy(dtype=float)
    X = X[:, X.std(axis=0) > 0]
    if len(X) > MAX_ROWS:
        rows = np.random.default_rng(0).choice(len(X), DRAWN_ROWS, replace=False)
        X, y = X[rows], y[rows]
    return StandardScaler().fit_transform(X), y


def nine_in_ten(X, n_clusters: int, seed: int):
    """Cluster nine rows in ten by their graph, the others by the nearest of them."""
    import numpy as np
    from sklearn.neighbors import KNeighborsClassifier

    from consilience.collaboration.clustering import cluster

    rows = np.sort(np.random.default_rng(seed).choice(len(X), len(X) * 9 // 10, replace=False))
    labels = cluster(X[rows].copy(), "spectral", n_clusters, seed=seed).labels
    return KNeighborsClassifier(1).fit(X[rows], labels).predict(X)


def measure(what: str, given: int) -> dict[str, object]:
    """Cluster once: moons of so many rows, or a set with this seed."""
    import numpy as np
    from sklearn.metrics import adjusted_rand_score

    from consilience.collaboration.clustering import cluster

    method, _, name = what.partition(", ")
    X, y = make_moons(given) if name == "moons" else read_set(name)
    seed, k = 0 if name == "moons" else given, len(np.unique(y))
    cluster(X[:300].copy(), "kmeans", 2, seed=0)
    start = time.process_time()
    if method == "nine in ten":
        labels = nine_in_ten(X, k, seed)
    else:
        labels = cluster(X.copy(), method, k, seed=seed).labels
    seconds = time.process_time() - start
    found = {"n": len(X), "seed": seed, "cpu_seconds": seconds}
    return found | {"ari": float(adjusted_rand_score(y, labels)), "labels": labels.tolist()}


def compare(name: str):
    """Measure a set in every way; return lines with the agreement with the clusters of all rows."""
    import pandas as pd
    from sklearn.metrics import adjusted_rand_score

    def run(method, seeds):
        lines = [{"what": f"{method}, {name}", **measure(f"{method}, {name}", s)} for s in seeds]
        for line in lines:
            print({k: v for k, v in line.items() if k != "labels"}, flush=True)
        return lines

    [exact] = run("spectral", SEEDS[:1])
    lines = [exact, *run("landmarks", SEEDS)]
    if exact["cpu_seconds"] <= MAX_SECONDS:
        lines += run("nine in ten", SEEDS)
    found = pd.DataFrame(lines)
    found["with_exact"] = [
        adjusted_rand_score(exact["labels"], told) for told in found.pop("labels")
    ]
    return found


def measure_moons():
    """Measure seconds as rows grow."""
    plan = [("landmarks, moons", n) for n in SIZES]
    plan += [("spectral, moons", n) for n in SIZES if n <= MAX_EXACT]
    found = in_fresh_processes("benchmarks.speed.landmarks", plan, hidden=("labels",))
    return found.drop(columns="labels")


def main(names) -> None:
    """Measure, record, and print the differences."""
    import pandas as pd

    path = ROOT / "benchmarks" / "results" / "speed-landmarks.csv"
    known = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=["what"])
    for name in names or (*SETS, "moons"):
        found = measure_moons() if name == "moons" else compare(name)
        found["rows"] = found.pop("n")
        known = known[~known["what"].str.endswith(f", {name}")]
        known = pd.concat([known, found]).astype({"rows": int, "seed": int})
        record(known, "landmarks")
    mean = known.groupby("what")["ari"].mean()
    for name in (name for name in SETS if f"landmarks, {name}" in mean):
        exact, ours = mean[f"spectral, {name}"], mean[f"landmarks, {name}"]
        print(f"{name}: {exact:.3f} of all rows, {ours:.3f} of landmarks, {ours - exact:+.3f}")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2].isdigit():
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main(sys.argv[1:])
