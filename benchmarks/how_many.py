"""How often the number of clusters that ``n_clusters="auto"`` chooses is the true one.

    python -m benchmarks.how_many measure > how-many.csv
    python -m benchmarks.how_many tables how-many.csv

Made-up rows of a known number of clusters: 36 sets of round ones (k = 1 to 12, in 3, 6 and 12
dimensions), 17 odd ones, 12 long ones. Seeds from 5000 on served to choose the rules, those from
9000 on were held out. Beside them the rules there were before: best silhouette from 2 clusters on,
and largest relative difference of eigenvalues.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import silhouette_score

from consilience.collaboration.selection import choose_kmeans, choose_spectral
from consilience.collaboration.spectral import spectral_embedding
from consilience.collaboration.terms import MAX_CLUSTERS

Array = npt.NDArray[np.float64]

HALVES = {"chosen on": 5000, "held out": 9000}
N_ROWS, N_NEIGHBORS = 600, 10


def round_sets(seed: int) -> Iterator[tuple[str, int, Array]]:
    """Yield gaussian clusters of equal spread at centres drawn from a box."""
    for k in range(1, 13):
        for d in (3, 6, 12):
            blobs = make_blobs(N_ROWS, d, centers=k, random_state=seed + k + 100 * d)
            yield f"round, {d} dimensions", k, blobs[0]


def odd_sets(seed: int) -> Iterator[tuple[str, int, Array]]:
    """Yield one cluster of several shapes, and clusters unequal in size, spread or direction."""
    rng = np.random.default_rng(seed)
    yield "one, long", 1, rng.normal(size=(N_ROWS, 4)) * [5, 2, 1, 0.5]
    yield "one, heavy tails", 1, rng.standard_t(5, size=(N_ROWS, 4))
    yield "one, even", 1, rng.random((N_ROWS, 4))
    yield "one, skewed", 1, rng.lognormal(sigma=0.7, size=(N_ROWS, 4))
    yield "one, correlated", 1, rng.normal(size=(N_ROWS, 8)) @ rng.normal(size=(8, 8))
    for k in (2, 4, 6):
        sizes = [int(N_ROWS * share) for share in [0.5, *np.full(k - 1, 0.5 / (k - 1))]]
        yield "sizes differ", k, make_blobs(sizes, 5, random_state=seed + k)[0]
        spreads = rng.uniform(0.5, 2, k)
        more = {"centers": k, "random_state": seed + 10 + k}
        yield "spreads differ", k, make_blobs(N_ROWS, 6, cluster_std=spreads, **more)[0]
        X = make_blobs(N_ROWS, 6, centers=k, random_state=seed + 20 + k)[0]
        yield "stretched", k, X * [1, 1, 1, 3, 0.3, 1]
        X = make_blobs(N_ROWS, 4, centers=k, random_state=seed + 30 + k)[0]
        yield "columns of noise", k, np.hstack([X, rng.normal(size=(N_ROWS, 8))])


def long_sets(seed: int) -> Iterator[tuple[str, int, Array]]:
    """Yield half-moons and rings, which k-means cannot tell apart."""
    for s in range(seed, seed + 3):
        for noise in (0.05, 0.1):
            yield f"moons, noise {noise}", 2, make_moons(N_ROWS, noise=noise, random_state=s)[0]
        for factor in (0.3, 0.5):
            X = make_circles(N_ROWS, noise=0.03, factor=factor, random_state=s)[0]
            yield f"rings, {factor}", 2, X


KINDS = {"round": round_sets, "odd": odd_sets, "long": long_sets}


def best_silhouette(X: Array) -> int:
    """Return the number with the best silhouette, from two on."""
    scores = {}
    for k in range(2, MAX_CLUSTERS + 1):
        labels = KMeans(k, n_init=3, random_state=0).fit_predict(X)
        scores[k] = silhouette_score(X, labels)
    return max(scores, key=lambda k: scores[k])


def relative_difference(X: Array) -> int:
    """Return the number after which eigenvalues rise most for their size, from two on."""
    values = spectral_embedding(X, MAX_CLUSTERS + 1, N_NEIGHBORS).eigenvalues
    laplacian = np.where(values < 1 - 1e-9, 1 - values, 0.0)
    rise = np.diff(laplacian)[1:] / np.maximum(laplacian[2:], np.finfo(float).tiny)
    return int(rise.argmax()) + 2


def measure() -> None:
    """Write a line per set."""
    print("half,kind,data,k,k-means before,k-means,spectral before,spectral")
    for half, seed in HALVES.items():
        for kind, sets in KINDS.items():
            for name, k, X in sets(seed):
                found = (
                    best_silhouette(X),
                    choose_kmeans(X, 0).n_clusters,
                    relative_difference(X),
                    choose_spectral(X, N_NEIGHBORS, 0).n_clusters,
                )
                print(f'{half},{kind},"{name}",{k},{",".join(map(str, found))}', flush=True)


def tables(path: str) -> None:
    """Print how many were right."""
    results = pd.read_csv(path)
    rules = results.columns[4:]
    print(f"| sets | {' | '.join(rules)} |\n|---{'|---' * len(rules)}|")
    for half in reversed(HALVES):
        for kind in KINDS:
            part = results[(results.half == half) & (results.kind == kind)]
            right = " | ".join(str((part[rule] == part.k).sum()) for rule in rules)
            print(f"| {half}, {kind}: {len(part)} | {right} |")


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        measure()
    else:
        tables(sys.argv[2])
