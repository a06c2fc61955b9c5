"""What private summaries find, against pooled k-means and against other private ways.

    CONSILIENCE_DATA=DIR python benchmarks/summaries.py [PART ...]

Tables of at least 3,000 rows and at most 100 numeric columns, one of each pair of copies, were
dealt alternately by name: the rules in ``summaries/private_centers.py`` were chosen on CHOOSING,
and REPORTING was measured once they stood. Bounds stand for public knowledge: the first and last
percentile of each column, rounded outward to two digits, values beyond clipped. The reference is
k-means on the pooled rows in the same units; the score is the agreement (ARI) with it as a share of
what two such runs agree on, 1 at most. Five institutions, rows dealt at random. Results go to
benchmarks/results/summaries.csv.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from consilience import ContinualClustering, SummaryClustering
from consilience.baselines.dp_lloyd import private_centres
from consilience.metrics import agreement
from consilience.privacy.noise import LaplaceNoise
from consilience.study.study import Study
from consilience.summaries.audit import measure_epsilon

CHOOSING = (
    *("abalone", "bank-marketing", "dry_bean", "gesture_phase", "mozilla4"),
    *("optdigits", "phoneme", "shuttle", "wall-robot-navigation"),
)
REPORTING = (
    *("adult", "covertype_kaggle", "electricity", "magic", "nursery"),
    *("pendigits", "rice", "skin_segmentation", "waveform-5000"),
)
LARGE = ("shuttle", "skin_segmentation", "made")
N_PARTIES, SEEDS, DELTA, MIN_ROWS, FCAC_ROWS = 5, range(3), 1e-6, 10, 1_000
RESULTS = Path(__file__).parent / "results" / "summaries.csv"


def read(name):
    """Return rows, number of clusters, and public bounds."""
    if name == "made":
        X, y = make_blobs(200_000, 16, centers=8, cluster_std=4.0, random_state=0)
        k = 8
    else:
        table = pd.read_parquet(Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.parquet")
        y = table.pop("label")
        X = table.select_dtypes("number").to_numpy(dtype=float)
        X = X[:, X.std(axis=0) > 0]
        k = y.nunique() if y.nunique() <= 10 else 5
    lower, upper = np.quantile(X, [0.01, 0.99], axis=0)
    rare = lower >= upper
    lower, upper = np.where(rare, X.min(0), lower), np.where(rare, X.max(0), upper)
    unit = 10.0 ** np.floor(np.log10(upper - lower)) / 10
    return X, k, (np.floor(lower / unit) * unit, np.ceil(upper / unit) * unit)


def pooled(Z, k, seed):
    return KMeans(k, n_init=10, random_state=seed).fit_predict(Z)


def by_summaries(X, k, bounds, parties, seed, epsilon, min_rows=None):
    model = SummaryClustering(
        k, epsilon=epsilon, delta=DELTA, bounds=bounds, min_rows=min_rows, random_state=seed
    )
    return model.fit(X, parties=parties).labels_


def by_row_noise(X, k, bounds, parties, seed, epsilon):
    noisy = LaplaceNoise(*map(list, bounds), epsilon, insecure_seed=seed).apply(X)
    centers = KMeans(k, n_init=3, random_state=seed).fit(noisy / np.subtract(*bounds))
    return centers.predict(np.clip(X, *bounds) / np.subtract(*bounds))


def by_private_lloyd(X, k, bounds, parties, seed, epsilon):
    Z = 2 * (np.clip(X, *bounds) - bounds[0]) / (bounds[1] - bounds[0]) - 1
    rng = np.random.default_rng(seed)
    found = [private_centres(Z[parties == p], k, epsilon, rng) for p in range(N_PARTIES)]
    return KMeans(k, n_init=10, random_state=seed).fit(np.vstack(found)).predict(Z)


def by_fcac(X, k, bounds, parties, seed, epsilon):
    model = ContinualClustering(
        epsilon=epsilon, bounds=bounds, profile="improved", max_nodes=100, random_state=seed
    )
    # Noise on rows is what decides here; the rest of the rows would only take time.
    rows = np.random.default_rng(seed).permutation(len(X))[:FCAC_ROWS]
    X = np.clip(X, *bounds)
    return model.fit(X[rows], parties=parties[rows]).predict(X)


WAYS = {
    "summaries": (by_summaries, (1.0, 4.0)),
    "means of 10": (lambda *a: by_summaries(*a, min_rows=MIN_ROWS), (None,)),
    "noise on rows": (by_row_noise, (1.0,)),
    "private Lloyd": (by_private_lloyd, (1.0, 4.0)),
}
FCAC = {"FCAC with noise": (by_fcac, (1.0,))}


def compare(half, names, ways):
    """Measure the ways on the tables."""
    for name in names:
        X, k, bounds = read(name)
        Z = np.clip(X, *bounds) / (bounds[1] - bounds[0])
        reference = pooled(Z, k, 0)
        ceiling = np.mean([agreement(pooled(Z, k, seed), reference) for seed in (1, 2)])
        for way, (find, epsilons) in ways.items():
            for epsilon in epsilons:
                for seed in SEEDS if way != "means of 10" else SEEDS[:1]:
                    parties = np.random.default_rng(seed).permutation(len(X)) % N_PARTIES
                    labels = find(X, k, bounds, parties, seed, epsilon)
                    found = agreement(labels, reference)
                    yield {
                        "what": half,
                        "data": name,
                        "n_rows": len(X),
                        "n_columns": X.shape[1],
                        "n_clusters": k,
                        "way": way,
                        "epsilon": epsilon,
                        "seed": seed,
                        "agreement": round(found, 4),
                        "two pooled runs": round(ceiling, 4),
                        "share": round(min(1.0, found / ceiling), 4),
                    }


def shadows(n_shadows=500):
    """Attack summaries of different epsilon, one outlying person known to the attacker."""
    numeric = {"kind": "numeric", "bounds": [-1, 1]}
    X = np.random.default_rng(0).normal(size=(300, 2)) / 10
    X[0] = [1.0, 1.0]
    for epsilon in (0.5, 1.0, 2.0, 4.0, 200.0):
        study = Study.from_terms(
            {
                "kind": "summaries",
                "name": "shadows",
                "grid": {"rows": ["a", "b"], "columns": ["lab"]},
                "schema": {"lab": {"x": numeric, "y": numeric}},
                "summaries": {"epsilon": epsilon},
            }
        )
        rng = np.random.default_rng(1)
        found = measure_epsilon(study, "a/lab", X, rng, n_shadows=n_shadows // 2)
        yield {
            "what": "shadows",
            "way": "summaries",
            "epsilon": epsilon,
            "measured epsilon": round(found.lower, 4),
            "advantage": round(found.advantage, 4),
            "n_rows": len(X),
        }


def speed():
    """Time the summary of a million rows against one k-means over them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 16))
    start = time.perf_counter()
    KMeans(8, n_init=1, random_state=0).fit(X)
    whole = time.perf_counter() - start
    for way, changes in {"summaries": {}, "means of 10": {"epsilon": None}}.items():
        start = time.perf_counter()
        SummaryClustering(8, **changes).fit(X)
        taken = time.perf_counter() - start
        about = {"what": "speed", "n_rows": len(X), "n_columns": 16, "n_clusters": 8, "way": way}
        yield {**about, "seconds": round(taken, 1), "seconds of k-means": round(whole, 1)}


def main():
    """Measure what is asked for, print it, and put it in place of what was measured before."""
    summaries = {"summaries": (by_summaries, (0.5,))}
    parts = {
        "choosing": lambda: compare("choosing", CHOOSING, WAYS),
        "reporting": lambda: compare("reporting", REPORTING, WAYS),
        "fcac": lambda: compare("fcac", REPORTING, FCAC),
        "large": lambda: compare("large", LARGE, summaries),
        "shadows": shadows,
        "speed": speed,
    }
    for part in sys.argv[1:] or parts:
        rows = []
        for row in parts[part]():
            rows.append(row)
            print(*row.values(), flush=True)
        old = pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=["what"])
        pd.concat([old[old.what != part], pd.DataFrame(rows)]).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
