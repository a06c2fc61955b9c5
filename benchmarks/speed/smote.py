"""Speed of SMOTE anchors: 100,000 anchor rows from 10,000 public rows of 50 columns.

    python -m benchmarks.speed.smote

Beside it, in the same run, Algorithm 2 written as its loops, on a tenth of the anchor rows and with
the neighbours given: what vectorised draws are worth. CPU seconds, best of three; results go to
benchmarks/results/speed-smote.csv.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

from benchmarks.speed.fresh import record
from consilience.collaboration.anchors.smote import Smote, _neighbors

P, R, M, K, ALPHA = 10_000, 100_000, 50, 99, 1.5


def loops(normal, neighbors, r, rng):
    """Lines 2 to 8 of Algorithm 2, row by row."""
    made = []
    for i in range(len(normal)):
        for _ in range(r // len(normal)):
            other = normal[neighbors[i, rng.integers(K)]]
            made.append(normal[i] + rng.uniform(0, ALPHA) * (other - normal[i]))
    return np.array(made)


def best_of_three(work):
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main():
    rng = np.random.default_rng(0)
    public = rng.normal(size=(P, M))
    whole = best_of_three(lambda: Smote(public, K, ALPHA).draw(bytes(32), R))
    search = best_of_three(lambda: _neighbors(public, K))
    neighbors = _neighbors(public, K)
    looped = 10 * best_of_three(lambda: loops(public, neighbors, R // 10, rng))
    rows = [
        ("anchor, all of it", whole, 1.0),
        ("of which neighbours", search, search / whole),
        ("draws", whole - search, (whole - search) / whole),
        ("draws as loops (tenfold of a tenth)", looped, looped / whole),
    ]
    frame = pd.DataFrame(rows, columns=["what", "cpu_seconds", "ratio_to_all"])
    frame.insert(1, "size", f"p={P} r={R} m={M} k={K}")
    record(frame, "smote")
    print(frame.to_string(index=False))


if __name__ == "__main__":
    main()
