"""Speed of FCAC against the published program, on the same rows in one run.

Run: ``python -m benchmarks.speed.fcac_published DATA CHECKOUT``, with a checkout of
https://github.com/Masuyama-lab/FCAC, which needs networkx and joblib. CPU seconds of fit and
labels, the better of two runs of either; compilation is outside the timed part. The
program takes all processors but one for its clients: measure on a machine with two, where it stays
in one process and its seconds are whole.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from benchmarks.fcac.splits import deal
from consilience.continual.estimator import ContinualClustering
from consilience.datasets import load

SETS = {"optdigits": 50, "pendigits": 50}
RESULTS = Path(__file__).parents[1] / "results" / "speed-fcac-published.csv"


def ours(X: np.ndarray, parties: np.ndarray) -> tuple[float, Any]:
    """Return CPU seconds and the labels."""
    start = time.process_time()
    labels = ContinualClustering(random_state=0).fit(X, parties=parties).labels_
    return time.process_time() - start, labels


def theirs(X: np.ndarray, parties: np.ndarray) -> tuple[float, Any]:
    """Return CPU seconds and the labels of the published program."""
    from fcac import FCAC

    tables = [X[parties == party] for party in np.unique(parties)]
    start = time.process_time()
    server, _ = FCAC(n_clients_=len(tables), iter_server_=1).fit(tables)
    labels = server.predict(X)
    return time.process_time() - start, labels


def main(data: str, checkout: str) -> None:
    """Measure and write one line for each set."""
    sys.path.insert(0, checkout)
    rows = []
    for name, n_parties in SETS.items():
        dataset = load(name, data=Path(data))
        order, parties = deal(dataset.y, n_parties, "iid", seed=0)
        X = dataset.X[order]
        ours(X[:2000], parties[:2000])
        (seconds, labels), (published, same) = (
            min((fit(X, parties) for _ in range(2)), key=lambda run: run[0])
            for fit in (ours, theirs)
        )
        figures = {
            "ours s": seconds,
            "published s": published,
            "ratio": published / seconds,
            "agreement": adjusted_rand_score(labels, same),
        }
        rows.append({"data": name, "rows": len(X), **figures})
    table = pd.DataFrame(rows)
    table.to_csv(RESULTS, index=False, float_format="%.4g")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
