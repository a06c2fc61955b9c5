"""Speed and memory of the consensus, as ratios in one run.

    python -m benchmarks.speed.consensus

Two questions. What does the closed form of the summed cosine similarities save against forming the
m x m matrix of each cluster, as the published code does? And how does the whole consensus grow with
the rows? Each measurement runs in a fresh process on one thread. Results go to
benchmarks/results/speed-consensus.csv.
"""

from __future__ import annotations

import json
import sys
import time

from benchmarks.speed.fresh import forget_peak, in_fresh_processes, memory, record

ROWS = (10_000, 100_000, 1_000_000)


def naive_scores(X, labels):
    """Sum each row's cosine similarities with its cluster by way of the matrix of all pairs."""
    import numpy as np
    from sklearn.metrics.pairwise import cosine_similarity

    scores = np.empty(len(X))
    for k in range(labels.max() + 1):
        inside = np.flatnonzero(labels == k)
        scores[inside] = cosine_similarity(X[inside]).sum(axis=1) / len(inside)
    return scores


def make_rows(n: int, n_columns: int = 10):
    """Six gaussian clusters."""
    import numpy as np

    rng = np.random.default_rng(0)
    labels = rng.integers(6, size=n)
    return rng.normal(scale=6, size=(6, n_columns))[labels] + rng.normal(size=(n, n_columns))


def measure(what: str, n: int) -> dict[str, float]:
    """Run one thing; report CPU seconds and peak memory above what was there before."""
    import numpy as np
    from sklearn.cluster import KMeans

    from consilience import ConsensusClustering
    from consilience.consensus.medoids import total_similarity

    columns = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    X = make_rows(n)
    labels = (np.arange(n) % 2).astype(np.int64)
    rows = np.arange(n)
    ConsensusClustering(KMeans(6), columns=columns, profile="paper", random_state=0).fit(X[:500])
    naive_scores(X[:50], labels[:50])
    before = forget_peak()  # that of making the data
    start = time.process_time()
    result: dict[str, float] = {}
    if what == "pairs":
        scores = naive_scores(X, labels)
    elif what == "closed form":
        scores = total_similarity(X, labels, rows)
    else:
        model = ConsensusClustering(
            KMeans(6), columns=columns, profile="paper", random_state=0
        ).fit(X)
        result |= {"iterations": model.n_iter_, "clusters": model.n_clusters_}
    result |= {
        "cpu_seconds": time.process_time() - start,
        "peak_bytes": max(memory("VmHWM") - before, 1),
    }
    if what == "closed form":
        result["largest_difference"] = float(np.abs(scores - naive_scores(X, labels)).max())
    return result


def main() -> None:
    """Run every measurement in its own process and print the ratios."""
    plan = [("pairs", 20_000), ("closed form", 20_000), *(("consensus", n) for n in ROWS)]
    frame = in_fresh_processes("benchmarks.speed.consensus", plan)
    pairs, closed = frame.iloc[0], frame.iloc[1]
    print(
        f"20,000 x 10, two clusters: the closed form takes "
        f"{pairs.cpu_seconds / closed.cpu_seconds:.0f} x less time and "
        f"{pairs.peak_bytes / closed.peak_bytes:.0f} x less memory"
    )
    whole = frame[frame.what == "consensus"].set_index("rows").cpu_seconds
    for n in ROWS[1:]:
        print(f"{n} rows cost {whole[n] / whole[n // 10]:.1f} x the time of {n // 10}")
    record(frame, "consensus")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
