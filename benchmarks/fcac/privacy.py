"""What noise that keeps its promise costs: quality against the budget of a record."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from benchmarks.fcac.splits import deal
from consilience.continual import ContinualClustering
from consilience.datasets import Dataset

__all__ = ["study_privacy"]

EPSILONS = (10.0, 50.0, 100.0, 500.0, 1000.0, 5000.0)
N_PARTIES, N_ROWS = 10, 2_000


def study_privacy(datasets: Mapping[str, Dataset]) -> pd.DataFrame:
    """Cluster each set with ever less noise and note what is left.

    One row per set and budget: epsilon per record, scale of the noise as a fraction of the range of
    a feature, ARI and AMI with the classes, nodes sent, nodes equal to a row.

    Notes
    -----
    The least and largest value of each feature stand in for public bounds. One trial each: noise
    from the operating system cannot be repeated. At most 2,000 rows of each set are used.
    """
    rows = []
    for name, dataset in datasets.items():
        order, parties = deal(dataset.y, N_PARTIES, "iid", seed=0)
        kept = np.sort(np.random.default_rng(0).permutation(len(order))[:N_ROWS])
        X, y, parties = dataset.X[order][kept], dataset.y[order][kept], parties[kept]
        bounds = X.min(axis=0), X.max(axis=0)
        for epsilon in (*EPSILONS, None):
            model = ContinualClustering(epsilon=epsilon, bounds=bounds, random_state=0)
            labels = model.fit(X, parties=parties).labels_
            rows.append(
                {
                    "data": name,
                    "epsilon per record": np.inf if epsilon is None else epsilon,
                    "noise / range": 0.0 if epsilon is None else X.shape[1] / epsilon,
                    "ARI": adjusted_rand_score(y, labels),
                    "AMI": adjusted_mutual_info_score(y, labels),
                    "nodes sent": model.n_sent_,
                    "nodes equal to a row": model.copies_,
                }
            )
    return pd.DataFrame(rows)
