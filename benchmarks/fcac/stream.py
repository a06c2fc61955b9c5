"""How well a network that forgets tells the groups of a stream, on scenes of many shapes.

Lifetimes and the share of rows that must have a node near were chosen on other draws (seeds 21 to
24) of all shapes but the last two, and on the scene of ``benchmarks.speed.fcac``; an earlier form
of the rules had been measured on the draws that are reported.

Run: ``python -m benchmarks.fcac.stream``. Writes ``benchmarks/results/fcac-stream.csv``: for every
scene and motion the mean ARI of its windows with their groups, the share below .95 and the lowest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from consilience.continual.nodes import compute
from consilience.continual.nodes.network import Network
from consilience.continual.nodes.profile import find_profile

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

SEEDS = range(221, 224)
MOTIONS = ("none", "drift", "jump")
GOOD = 0.95
RESULTS = Path(__file__).parents[1] / "results"
MAX_NODES, WINDOWS, ROWS = 64, 30, 5000
APART = 6.0
"""Least distance of two centres, in spreads."""


def clouds(
    rng: np.random.Generator,
    k: int,
    d: int,
    *,
    shares: FloatArray | None = None,
    stretch: float = 1.0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return centres that are apart, spreads of the features, and shares of clouds."""
    spreads = np.ones(d)
    spreads[0] = stretch
    side = 5.0 * k ** (1.0 / d)
    while True:
        side *= 1.02
        centres = rng.uniform(0, side, size=(k, d))
        gaps = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(k, 1)]
        if gaps.min() >= APART:
            break
    return centres * spreads, spreads, np.full(k, 1 / k) if shares is None else shares


SHAPES: Mapping[str, dict[str, Any]] = {
    "5 clouds": {"k": 5, "d": 2},
    "3 clouds": {"k": 3, "d": 2},
    "8 clouds": {"k": 8, "d": 2},
    "5 dimensions": {"k": 5, "d": 5},
    "unequal": {"k": 4, "d": 2, "shares": np.array([0.6, 0.25, 0.1, 0.05])},
    "elongated": {"k": 3, "d": 2, "stretch": 4.0},
    "moons": {},
    "10 dimensions": {"k": 6, "d": 10},
    "rings": {},
    "heavy tails": {"k": 5, "d": 2, "freedom": 3},
    "20 dimensions": {"k": 8, "d": 20},
}


def arcs(rng: np.random.Generator, shape: str, group: IntArray) -> FloatArray:
    """Return rows on two half circles that reach into each other, or on two rings."""
    if shape == "rings":
        angle, radius = rng.uniform(0, 2 * np.pi, ROWS), 1.0 + group
        line = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    else:
        angle = rng.uniform(0, np.pi, ROWS) + np.pi * group
        line = np.column_stack([np.cos(angle) + group, np.sin(angle) + 0.4 * group])
    rows: FloatArray = 10.0 * line + rng.normal(size=(ROWS, 2)) * 0.6
    return rows


def windows(shape: str, motion: str, seed: int) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield rows and their groups, window by window."""
    rng = np.random.default_rng(seed)
    settings = dict(SHAPES[shape])
    freedom = settings.pop("freedom", None)
    scene = clouds(rng, **settings) if settings else None
    for window in range(WINDOWS):
        if scene is None:
            group = rng.integers(2, size=ROWS)
            X = arcs(rng, shape, group)
        else:
            centres, spreads, shares = scene
            group = rng.choice(len(shares), size=ROWS, p=shares)
            size = (ROWS, len(spreads))
            noise = rng.normal(size=size) if freedom is None else rng.standard_t(freedom, size)
            X = centres[group] + noise * spreads
        moved = {"none": 0.0, "drift": 1.0 * window, "jump": 250.0 * (2 * window >= WINDOWS)}
        yield X + moved[motion], group


def measure(shape: str, motion: str, seed: int) -> Iterator[float]:
    """Yield the ARI of every window with its groups, right after it was learnt from."""
    path = compute.path()
    net = None
    for X, group in windows(shape, motion, seed):
        if net is None:
            net = Network(X.shape[1], find_profile("reference"), max_nodes=MAX_NODES)
        path.learn(net, X)
        nearest = path.nearest(X, net.positions, net.sigma)
        yield adjusted_rand_score(group, net.clusters()[nearest])


def main() -> None:
    """Measure all scenes and write what they gave."""
    found = []
    for shape, motion in product(SHAPES, MOTIONS):
        ari = np.concatenate([list(measure(shape, motion, seed)) for seed in SEEDS])
        below = np.mean(ari < GOOD)
        found.append((shape, motion, len(ari), ari.mean(), below, ari.min()))
    columns = ["scene", "motion", "windows", "mean ARI", f"below {GOOD}", "lowest"]
    table = pd.DataFrame(found, columns=columns)
    table.to_csv(RESULTS / "fcac-stream.csv", index=False, float_format="%.4f")
    print(table.groupby("motion", sort=False).mean(numeric_only=True).round(3).to_string())


if __name__ == "__main__":
    main()
