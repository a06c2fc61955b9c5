"""Speed and memory of DC-Clustering, as ratios in one run.

    python -m benchmarks.speed.dc_clustering

Each measurement runs in a fresh process with the same number of threads, so that peak memory is its
own and nothing is warm. What is compared: all parties' work plus the analyst's against
scikit-learn's KMeans on the pooled rows with the same settings; the spectral solver against
scikit-learn's default one. Results go to benchmarks/results/speed-dc-clustering.csv.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings

from benchmarks.speed.fresh import forget_peak, in_fresh_processes, memory, record

THREADS = "2"
ROWS = (10_000, 100_000, 1_000_000)


def make_rows(n: int):
    """Ten gaussian clusters in 16 columns."""
    import numpy as np

    rng = np.random.default_rng(0)
    centers = rng.uniform(-10, 10, size=(10, 16))
    labels = rng.integers(10, size=n)
    return centers[labels] + rng.normal(scale=2.0, size=(n, 16))


def measure(what: str, n: int) -> dict[str, float]:
    """Run one thing once; report wall and CPU seconds and peak memory above the data."""
    import numpy as np
    from sklearn.cluster import KMeans, SpectralClustering

    from consilience import CollaborationClustering
    from consilience.datasets import split_columns, split_rows
    from consilience.metrics import agreement

    warnings.simplefilter("ignore")
    X = make_rows(n)[:, :9].copy() if what.startswith("spectral") else make_rows(n)
    parties = split_rows(n, 10, random_state=0)
    columns = split_columns(X.shape[1], 2, random_state=0)
    # Load libraries and start thread pools, which are no part of what is compared.
    KMeans(2, n_init=1).fit(X[:200])
    CollaborationClustering(2, columns=columns).fit(X[:200], parties=parties[:200])
    before = forget_peak()  # that of making the data
    start, cpu = time.perf_counter(), time.process_time()
    if what == "kmeans pooled":
        labels = KMeans(10, n_init=10, max_iter=300, random_state=0).fit_predict(X)
    elif what == "kmeans collaboration":
        model = CollaborationClustering(10, columns=columns, random_state=0)
        labels = model.fit_predict(X, parties=parties)
    elif what == "spectral scikit-learn":
        labels = SpectralClustering(
            10, affinity="nearest_neighbors", n_neighbors=10, random_state=0
        ).fit_predict(X)
    else:
        from consilience.collaboration.clustering import cluster

        labels = cluster(X.copy(), "spectral", 10, seed=0).labels
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = memory("VmHWM")
    np.save(f"{tempfile.gettempdir()}/consilience-speed-{what.replace(' ', '-')}-{n}.npy", labels)
    result = {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "peak_over_data": (peak - before + X.nbytes) / X.nbytes,
    }
    partner = {"kmeans collaboration": "kmeans pooled", "spectral own": "spectral scikit-learn"}
    if what in partner:
        other = np.load(
            f"{tempfile.gettempdir()}/consilience-speed-{partner[what].replace(' ', '-')}-{n}.npy"
        )
        result["agreement"] = agreement(labels, other)
    return result


def main() -> None:
    """Run every measurement in its own process and print the ratios."""
    plan = [(w, n) for n in ROWS for w in ("kmeans pooled", "kmeans collaboration")]
    plan += [(w, 20_000) for w in ("spectral scikit-learn", "spectral own")]
    frame = in_fresh_processes("benchmarks.speed.dc_clustering", plan, THREADS)
    seconds = frame.set_index(["what", "rows"])["seconds"]
    frame["ratio"] = float("nan")
    for n in ROWS:
        ratio = seconds["kmeans collaboration", n] / seconds["kmeans pooled", n]
        frame.loc[(frame.what == "kmeans collaboration") & (frame.rows == n), "ratio"] = ratio
        print(f"k-means, {n} rows: collaboration takes {ratio:.2f} x pooled")
    ratio = seconds["spectral own", 20_000] / seconds["spectral scikit-learn", 20_000]
    frame.loc[frame.what == "spectral own", "ratio"] = ratio
    print(f"spectral, 20,000 x 9: {1 / ratio:.1f} x faster than scikit-learn's default solver")
    record(frame, "dc-clustering")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
