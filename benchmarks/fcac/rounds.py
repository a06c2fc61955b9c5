"""The demonstration of continual learning in three rounds (Figs. 4 to 9)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.problems import Array
from consilience.continual.estimator import ContinualClustering

CENTRES = {"A": (0.3, 0.3), "B": (0.7, 0.3), "C": (0.5, 0.75)}
SPREAD, NOISE, N_POINTS = 0.06, 0.01, 15_000
PLAN = ({1: "A", 2: "A"}, {1: "AB", 2: "AC"}, {1: "B", 2: "C"})
"""The parts each client receives in each round."""


def draw_stream(seed: int = 0) -> list[dict[int, Array]]:
    """Draw the rows of client 1 and client 2 in each round.

    Three normal distributions of 15,000 points, each with 1 % of uniform noise. A comes in four
    parts, B and C in two; every point is given once.

    Notes
    -----
    The paper shows in pictures only which part goes where. Here client 1 receives A, then A and
    B, then B; client 2 receives A, then A and C, then C.

    Examples
    --------
    >>> [{c: len(X) for c, X in rows.items()} for rows in draw_stream()]
    [{1: 3788, 2: 3788}, {1: 11362, 2: 11362}, {1: 7575, 2: 7575}]
    """
    rng = np.random.default_rng(seed)
    parts = {}
    for name, centre in CENTRES.items():
        points = rng.normal(centre, SPREAD, size=(N_POINTS, 2))
        noise = rng.uniform(0.0, 1.0, size=(int(NOISE * N_POINTS), 2))
        whole = rng.permutation(np.concatenate([points, noise]))
        parts[name] = iter(np.array_split(whole, 4 if name == "A" else 2))
    rounds = []
    for given in PLAN:
        rows = {c: [next(parts[name]) for name in names] for c, names in given.items()}
        rounds.append({c: rng.permutation(np.concatenate(pieces)) for c, pieces in rows.items()})
    return rounds


def demonstrate(picture: Path, seed: int = 0) -> pd.DataFrame:
    """Learn the three rounds without ever starting again; draw and tabulate what is known.

    The picture has the data, and the nodes, edges and clusters of the analyst after each round.
    """
    figure = Figure(figsize=(10, 6.6), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    model = ContinualClustering(random_state=0)
    table = []
    for number, rows in enumerate(draw_stream(seed)):
        X = np.concatenate(list(rows.values()))
        parties = np.repeat(list(rows), [len(part) for part in rows.values()])
        model.partial_fit(X, parties=parties)
        colours = np.where(parties == 1, "tab:blue", "tab:orange")
        axes[0, number].scatter(*X.T, s=0.3, c=colours, rasterized=True)
        axes[0, number].set_title(f"round {number + 1}: rows of clients 1 and 2", fontsize=9)
        segments = model.nodes_[model.edges_]
        for segment in segments:
            axes[1, number].plot(*segment.T, color="0.6", lw=0.6, zorder=1)
        axes[1, number].scatter(
            *model.nodes_.T, c=model.node_labels_ % 20, cmap="tab20", s=14, zorder=2
        )
        title = f"analyst: {model.n_nodes_} nodes, {model.n_clusters_} clusters"
        axes[1, number].set_title(title, fontsize=9)
        centres = model.predict(np.array(list(CENTRES.values())))
        table.append(
            {
                "round": number + 1,
                "rows": len(X),
                "nodes sent": model.n_sent_,
                "nodes": model.n_nodes_,
                "clusters": model.n_clusters_,
                "cluster at A, B, C": " ".join(map(str, centres)),
                "births": len(model.succession_.births),
                "splits": len(model.succession_.splits),
                "merges": len(model.succession_.merges),
                "deaths": len(model.succession_.deaths),
            }
        )
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)
    return pd.DataFrame(table)
