"""Speed and memory of grouping institutions by label mix: 10,000 of them, 100 classes.

    python -m benchmarks.speed.grouping DATA

And of the choice of a threshold on covertype with 100 institutions, by the estimator and its
default network: nine thresholds that share what does not depend on them, and a fit with the best
of them, against nine independent fits, in the same run. And of the compared networks: FedAvg with
100 institutions, 50 epochs. CPU seconds; results go to benchmarks/results/speed-grouping.csv.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.dc_cfl.problems import SPLITS, draw_problem
from benchmarks.speed.fresh import record
from consilience import ClusteredCollaborationClassifier
from consilience.baselines import FedAvg
from consilience.collaboration.learning.clustered_analyst import CANDIDATES
from consilience.collaboration.learning.grouping import group_parties, merge_tree


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seconds_of(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def grouping(n_parties, n_classes):
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.full(n_classes, 0.1), size=n_parties)
    before, start = peak_megabytes(), time.process_time()
    tree = merge_tree(P)
    for t in CANDIDATES:
        group_parties(tree, t)
    return time.process_time() - start, peak_megabytes() - before


def thresholds(problem):
    def fit(threshold):
        problem.fit(ClusteredCollaborationClassifier(threshold=threshold, random_state=0))

    return seconds_of(lambda: fit("auto")), seconds_of(lambda: [fit(t) for t in CANDIDATES])


def main(data):
    seconds, megabytes = grouping(10_000, 100)
    rows = [("grouping, 10,000 institutions, 100 classes", seconds, megabytes, np.nan)]
    problem = draw_problem("covertype", "C=2", 0, data)
    averaging = seconds_of(lambda: problem.fit(FedAvg(random_state=0)))
    rows.append(("FedAvg, covertype, 100 institutions, 5 x 10 epochs", averaging, np.nan, np.nan))
    for split in SPLITS:
        together, apart = thresholds(draw_problem("covertype", split, 0, data))
        rows += [
            (f"nine thresholds, {split}, sharing", together, np.nan, 1.0),
            (f"nine thresholds, {split}, independent fits", apart, np.nan, apart / together),
        ]
    frame = pd.DataFrame(rows, columns=["what", "cpu_seconds", "peak_megabytes", "ratio"])
    record(frame, "grouping")
    print(frame.to_string(index=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
