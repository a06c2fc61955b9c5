"""Speed of the resonance network: compiled against plain, and the cost of a row as a stream grows.

Run: ``python -m benchmarks.speed.fcac --data DIR --out benchmarks/results``. CPU seconds of one
process, ratios within one run, compilation outside the timed part.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from benchmarks.fcac.splits import deal
from consilience.continual.estimator import ContinualClustering
from consilience.continual.nodes import compute
from consilience.continual.nodes.network import MAX_NODES, Network
from consilience.continual.nodes.profile import find_profile
from consilience.continual.ordering import sort_by_wins
from consilience.datasets import load

PROFILE = find_profile("reference")
REPEATS = 3
SCENES = ((64, "none"), (64, "drift"), (64, "jump"), (MAX_NODES, "none"))
"""Nodes the stream may make, few and the default, and how its clouds move."""


def fit(X: np.ndarray, parties: np.ndarray, compiled: bool) -> tuple[float, np.ndarray]:
    """Return CPU seconds of all clients and the server, and the server's nodes."""
    path = compute.path(compiled)
    start = time.process_time()
    nodes, counts = [], []
    for party in np.unique(parties):
        client = Network(X.shape[1], PROFILE, topology=False)
        path.learn(client, X[parties == party])
        nodes.append(client.positions)
        counts.append(client.counts[: client.n_nodes])
    server = Network(X.shape[1], PROFILE)
    path.learn(server, sort_by_wins(nodes, counts, np.random.RandomState(0)))
    return time.process_time() - start, server.positions


def compare_paths(data: Path | None) -> pd.DataFrame:
    """Fit the same rows both ways; the best of three runs each."""
    rows = []
    for name in ("optdigits", "pendigits"):
        dataset = load(name, data=data)
        order, parties = deal(dataset.y, 50, "iid", seed=0)
        X = dataset.X[order]
        fit(X[:500], parties[:500], True)
        fast, plain = (
            min((fit(X, parties, c) for _ in range(REPEATS)), key=lambda r: r[0])
            for c in (True, False)
        )
        assert np.allclose(fast[1], plain[1])
        rows.append(
            {
                "data": name,
                "rows": len(X),
                "compiled s": fast[0],
                "numpy s": plain[0],
                "ratio": plain[0] / fast[0],
            }
        )
    return pd.DataFrame(rows)


def whole(data: Path | None) -> pd.DataFrame:
    """Fit and label all of skin segmentation, 100 parties."""
    dataset = load("skin_segmentation", data=data)
    order, parties = deal(dataset.y, 100, "iid", seed=0)
    start = time.process_time()
    model = ContinualClustering(random_state=0).fit(dataset.X[order], parties=parties)
    seconds = time.process_time() - start
    return pd.DataFrame(
        [
            {
                "data": "skin_segmentation",
                "rows": len(order),
                "fit and label s": seconds,
                "nodes": model.n_nodes_,
            }
        ]
    )


def stream(
    max_nodes: int, motion: str = "none", n_windows: int = 100, n_rows: int = 10_000
) -> pd.DataFrame:
    """Feed a million rows of five clouds in 2-D to one network, window by window.

    Normal clouds have tails without end, which go on to make nodes: the hard case for a bound. With
    motion "drift" all clouds move by their own spread in every window, with "jump" they are a
    hundred away from one window to the next, halfway.
    """
    rng = np.random.default_rng(0)
    centres = rng.uniform(0, 10, size=(5, 2))
    network = Network(2, PROFILE, max_nodes=max_nodes)
    path = compute.path(True)
    path.learn(Network(2, PROFILE), np.random.default_rng(1).normal(size=(100, 2)))
    rows = []
    for window in range(n_windows):
        cloud = rng.integers(5, size=n_rows)
        X = rng.normal(centres[cloud] + _moved(motion, window, n_windows), 0.4)
        start = time.process_time()
        path.learn(network, X)
        seconds = time.process_time() - start
        labels = network.clusters()[path.nearest(X, network.positions, network.sigma)]
        held = sum(
            getattr(network, name).nbytes
            for name in ("nodes", "ages", "renewed", "granted", "bandwidths")
        )
        rows.append(
            {
                "max_nodes": max_nodes,
                "motion": motion,
                "rows seen": (window + 1) * n_rows,
                "us per row": 1e6 * seconds / n_rows,
                "nodes": network.n_nodes,
                "bytes": held,
                "ARI": adjusted_rand_score(cloud, labels),
            }
        )
    return pd.DataFrame(rows)


def _moved(motion: str, window: int, n_windows: int) -> float:
    """Return how far the clouds of a window are from those of the first, in both directions."""
    return {"none": 0.0, "drift": 0.4 * window, "jump": 100.0 * (2 * window >= n_windows)}[motion]


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw cost, nodes and memory against the rows seen, one line for each bound."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3), layout="constrained")
    columns = {"us per row": "microseconds per row", "nodes": "nodes", "bytes": "bytes held"}
    axes = figure.subplots(1, 3)
    for ax, (column, name) in zip(axes, columns.items(), strict=True):
        for (bound, motion), part in table.groupby(["max_nodes", "motion"]):
            name_of = f"max_nodes = {bound:,}" + ("" if motion == "none" else f", {motion}")
            ax.plot(part["rows seen"] / 1e6, part[column], label=name_of)
        ax.set(xlabel="million rows seen", ylabel=name, ylim=(0, None))
    axes[0].legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure and write three small tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tables = {
        "paths": compare_paths(options.data),
        "stream": pd.concat([stream(*scene) for scene in SCENES]),
        "whole": whole(options.data),
    }
    draw(tables["stream"], Path("docs/images/fcac-stream.png"))
    for name, table in tables.items():
        table.to_csv(options.out / f"speed-fcac-{name}.csv", index=False, float_format="%.4g")
        print(name, table.iloc[[0, len(table) // 2, -1]].to_string(), sep="\n")


if __name__ == "__main__":
    main()
