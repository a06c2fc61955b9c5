"""What is left of a stream's clusters under noise on rows, and under noise on centres of rows.

    CONSILIENCE_DATA=DIR python -m benchmarks.fcac.hiding [SET ...]

Ten parties, at most 2,000 rows, classes dealt alike, noise from the operating system, the number of
clusters told to nobody; ARI of the rows themselves with their classes. How centres stand in for
rows (repeated, without a spread of their own) and the profile were chosen on CHOOSING; REPORTING
was measured afterwards. Least and largest values stand in for public bounds. Results go to
benchmarks/results/fcac-hiding.csv, the rows of the sets named alone replaced.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from benchmarks.fcac.splits import deal
from consilience.continual.estimator import ContinualClustering
from consilience.datasets import load

CHOOSING = ("optdigits", "dry_bean", "wall-robot-navigation", "mfeat-factors")
REPORTING = ("pendigits", "phoneme", "rice", "magic", "waveform-5000")
EPSILONS = (10.0, 50.0)
N_PARTIES, N_ROWS, N_RUNS = 10, 2_000, 3
PROFILE = "improved"
RESULTS = Path(__file__).parents[1] / "results" / "fcac-hiding.csv"


def measure(name: str) -> Iterator[dict[str, Any]]:
    """Yield one row per epsilon and way to hide: the mean and spread of the ARI over the runs."""
    dataset = load(name)
    order, parties = deal(dataset.y, N_PARTIES, "iid", seed=0)
    kept = np.sort(np.random.default_rng(0).permutation(len(order))[:N_ROWS])
    X, y, parties = dataset.X[order][kept], dataset.y[order][kept], parties[kept]
    X = X[:, np.ptp(X, axis=0) > 0]
    for epsilon in (*EPSILONS, None):
        for noise in ("rows", "centers") if epsilon else ("none",):
            scores = []
            for run in range(N_RUNS):
                model = ContinualClustering(
                    epsilon=epsilon,
                    bounds=(X.min(axis=0), X.max(axis=0)),
                    noise=noise if epsilon else "rows",
                    profile=PROFILE,
                    random_state=run,
                )
                labels = model.fit(X, parties=parties).labels_
                scores.append(adjusted_rand_score(y, labels))
            yield {
                "data": name,
                "set": "choosing" if name in CHOOSING else "reporting",
                "features": X.shape[1],
                "epsilon per record": epsilon or np.inf,
                "noise on": noise,
                "ARI": np.mean(scores),
                "spread": np.std(scores),
            }


def main(names: Sequence[str]) -> None:
    """Measure the sets named, or all, and write what was found as soon as a set is done."""
    for name in names or (*CHOOSING, *REPORTING):
        rows = pd.DataFrame(list(measure(name)))
        if RESULTS.exists():
            others = pd.read_csv(RESULTS)
            rows = pd.concat([others[others.data != name], rows])
        rows.to_csv(RESULTS, index=False, float_format="%.3f")
        print(rows[rows.data == name].to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1:])
