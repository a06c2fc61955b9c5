"""The published noise, kept for the published epsilon study only.

It is **not** differentially private: the sensitivity is read from the rows it should hide (a
feature that does not vary receives none), the budget is spent anew on every feature, and all
clients draw from one seed. Institutions use `consilience.privacy`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.problems import Array
from consilience.collaboration.anchors import earth_movers_distance

__all__ = ["published_noise", "show_noise"]

EPSILONS = (10.0, 15.0, 25.0, 50.0, 75.0)
CENTRE, SPREAD, N_POINTS = 0.35, 0.15, 1_000
"""Of the two clouds of Figure 3; the paper states no spread, this one is ours."""


def published_noise(X: Array, epsilon: float, seed: int) -> Array:
    r"""Add Laplace noise as in Eqs. (2) to (4) of [Masuyama2024]_.

    .. math:: x' = x - \frac{\Delta_j}{\epsilon}\, \mathrm{sgn}(v) \ln(1 - 2 |v|), \qquad
              v \sim U(-1/2, 1/2), \qquad \Delta_j = \max_i x_{ij} - \min_i x_{ij}

    X are the rows of one client, epsilon is the budget per feature.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 5.0]])
    >>> noisy = published_noise(X, 15.0, seed=0)
    >>> noisy[:, 1].tolist(), bool((noisy[:, 0] != X[:, 0]).all())
    ([5.0, 5.0], True)
    """
    v = np.random.RandomState(seed).uniform(-0.5, 0.5, size=X.shape)
    sensitivity = np.ptp(X, axis=0)
    noisy: Array = X - sensitivity / epsilon * np.sign(v) * np.log1p(-2.0 * np.abs(v))
    return noisy


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
        moved = earth_movers_distance(X, Z, n_exact=len(X)).value
        for group, colours in enumerate(("Reds_r", "Blues_r")):
            ax.scatter(*Z[kind == group].T, c=shade[kind == group], cmap=colours, s=3, vmax=0.6)
        name = "no noise" if epsilon is None else f"epsilon {epsilon:g}"
        ax.set_title(f"{name}: distance {moved:.3f}, ARI {ari:.3f}", fontsize=9)
        ax.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal")
        rows.append({"epsilon per feature": epsilon or np.inf, "distance": moved, "ARI": ari})
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)
    return pd.DataFrame(rows)
