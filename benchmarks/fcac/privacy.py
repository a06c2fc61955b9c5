"""What noise does: the published one to two clouds, an honest one to quality and rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from benchmarks.distances import earth_movers_distance
from benchmarks.fcac.noise import published_noise
from benchmarks.fcac.splits import deal
from consilience.continual.estimator import ContinualClustering
from consilience.datasets import Dataset

EPSILONS = (10.0, 15.0, 25.0, 50.0, 75.0)
RECORD_EPSILONS = (10.0, 50.0, 100.0, 500.0, 1000.0, 5000.0)
N_PARTIES, N_ROWS = 10, 2_000
CENTRE, SPREAD, N_POINTS = 0.35, 0.15, 1_000
"""Of the two clouds of Figure 3; the paper states no spread, this one is ours."""


def show_noise(picture: Path, seed: int = 0) -> pd.DataFrame:
    """Draw what the published noise does to two clouds (Fig. 3) and measure it.

    Returns one row per epsilon: the 1-Wasserstein distance from the clouds without noise, and the
    ARI of k-means with two clusters.
    """
    rng = np.random.default_rng(seed)
    kind = np.repeat([0, 1], N_POINTS)
    centres = np.where(kind, CENTRE, -CENTRE)[:, None]
    X = rng.normal(centres, SPREAD, size=(2 * N_POINTS, 2))
    shade = np.hypot(*(X - centres).T)
    figure = Figure(figsize=(9, 6), layout="constrained")
    rows = []
    for ax, epsilon in zip(figure.subplots(2, 3).flat, (None, *EPSILONS), strict=True):
        Z = X if epsilon is None else published_noise(X, epsilon, seed)
        ari = adjusted_rand_score(kind, KMeans(2, n_init=10, random_state=seed).fit_predict(Z))
        moved = earth_movers_distance(X, Z, n_exact=len(X))
        for group, colours in enumerate(("Reds_r", "Blues_r")):
            ax.scatter(*Z[kind == group].T, c=shade[kind == group], cmap=colours, s=3, vmax=0.6)
        name = "no noise" if epsilon is None else f"epsilon {epsilon:g}"
        ax.set_title(f"{name}: distance {moved:.3f}, ARI {ari:.3f}", fontsize=9)
        ax.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal")
        rows.append({"epsilon per feature": epsilon or np.inf, "distance": moved, "ARI": ari})
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)
    return pd.DataFrame(rows)


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
        for epsilon in (*RECORD_EPSILONS, None):
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
