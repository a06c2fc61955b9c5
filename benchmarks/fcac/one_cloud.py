"""One normal cloud learnt by CAE, CAE_FC and CA+ (Fig. 1 of FCAC [Masuyama2024]_)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.pictures import save
from benchmarks.problems import Array
from consilience.continual.resonance import ResonanceClustering

N_POINTS = 16_000
NETWORKS: dict[str, dict[str, Any]] = {
    "CAE": {"similarity": "cim"},
    "CAE_FC": {},
    "CA+": {"topology": False},
}
PUBLISHED = {"CAE_FC": 55, "CA+": 75}
"""Nodes that the text names; it says of CAE only that they are many."""


def draw_cloud(seed: int) -> Array:
    """Draw a normal cloud, each feature scaled to [0, 1].

    Examples
    --------
    >>> X = draw_cloud(0)
    >>> X.shape, X.min(axis=0).tolist(), X.max(axis=0).tolist()
    ((16000, 2), [0.0, 0.0], [1.0, 1.0])
    """
    X = np.random.default_rng(seed).normal(size=(N_POINTS, 2))
    return np.asarray((X - X.min(axis=0)) / np.ptp(X, axis=0))


def learn_cloud(docs: Path, trials: int = 20) -> pd.DataFrame:
    """Learn clouds once each, draw the first, and tabulate the nodes of all."""
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    axes = figure.subplots(1, 1 + len(NETWORKS), sharex=True, sharey=True)
    axes[0].scatter(*draw_cloud(0).T, s=0.3, rasterized=True)
    axes[0].set_title(f"{N_POINTS:,} points", fontsize=9)
    table = []
    for ax, (name, settings) in zip(axes[1:], NETWORKS.items(), strict=True):
        models = [ResonanceClustering(**settings).fit(draw_cloud(seed)) for seed in range(trials)]
        _draw(ax, name, models[0])
        counts = [len(model.nodes_) for model in models]
        table.append(
            {
                "network": name,
                "nodes published": str(PUBLISHED.get(name, "—")),
                "draws": trials,
                "nodes": float(np.mean(counts)),
                "least": min(counts),
                "most": max(counts),
                "clusters": float(np.mean([model.n_clusters_ for model in models])),
            }
        )
    save(figure, docs, "fcac-one-cloud")
    return pd.DataFrame(table)


def _draw(ax: Any, name: str, model: ResonanceClustering) -> None:
    for segment in model.nodes_[model.edges_]:
        ax.plot(*segment.T, color="0.6", lw=0.6, zorder=1)
    colours = np.zeros(len(model.nodes_)) if name == "CA+" else model.node_labels_ % 20
    ax.scatter(*model.nodes_.T, c=colours, cmap="tab20", s=12, zorder=2)
    ax.set_title(f"{name}: {len(model.nodes_)} nodes", fontsize=9)
