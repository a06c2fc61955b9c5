"""Speed and memory of grouping institutions by label mix: 10,000 of them, 100 classes.

    python benchmarks/speed/grouping.py

And of the choice of a threshold: DC-CFL with nine thresholds that share what does not depend on
them, against nine independent fits, in the same run. CPU seconds; results go to
benchmarks/results/speed-grouping.csv.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from consilience import ClusteredCollaborationClassifier
from consilience.collaboration.clustered.analyst import CANDIDATES
from consilience.collaboration.clustered.grouping import group_parties, merge_tree


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def grouping(n_parties, n_classes):
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.full(n_classes, 0.1), size=n_parties)
    before, start = peak_megabytes(), time.process_time()
    tree = merge_tree(P)
    for t in CANDIDATES:
        group_parties(tree, t)
    return time.process_time() - start, peak_megabytes() - before


def thresholds(n_parties, n_rows):
    """100 institutions of two classes each, 54 columns: the shape of covertype, C = 2."""
    rng = np.random.default_rng(0)
    y = rng.integers(7, size=n_rows)
    X = rng.normal(size=(7, 54))[y] + rng.normal(scale=3, size=(n_rows, 54))
    pairs = rng.permuted(np.tile(np.arange(7), (n_parties, 1)), axis=1)[:, :2]
    owners = [np.flatnonzero((pairs == c).any(axis=1)) for c in range(7)]
    parties = np.array([rng.choice(owners[c]) for c in y])
    learner = LogisticRegression(max_iter=100, tol=1e-2)
    start = time.process_time()
    ClusteredCollaborationClassifier(learner, "auto", random_state=0).fit(X, y, parties=parties)
    together = time.process_time() - start
    start = time.process_time()
    for t in CANDIDATES:
        ClusteredCollaborationClassifier(learner, t, random_state=0).fit(X, y, parties=parties)
    return together, time.process_time() - start


def main():
    seconds, megabytes = grouping(10_000, 100)
    together, apart = thresholds(100, 15_120)
    rows = [
        ("grouping, 10,000 institutions, 100 classes", seconds, megabytes, np.nan),
        ("nine thresholds, sharing", together, np.nan, 1.0),
        ("nine thresholds, independent fits", apart, np.nan, apart / together),
    ]
    frame = pd.DataFrame(rows, columns=["what", "cpu_seconds", "peak_megabytes", "ratio"])
    path = Path(__file__).parents[1] / "results" / "speed-grouping.csv"
    path.parent.mkdir(exist_ok=True)
    frame.to_csv(path, index=False, float_format="%.4g", lineterminator="\n")
    print(frame.to_string(index=False))


if __name__ == "__main__":
    main()
