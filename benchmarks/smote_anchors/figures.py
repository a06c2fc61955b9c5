"""Figures 1 and 2 of the SMOTE anchors [Imakura2023]_: the artificial set, and anchors for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.pictures import save
from benchmarks.problems import Array, Labels
from benchmarks.smote_anchors.problems import artificial
from benchmarks.smote_anchors.trials import anchors_of, artificial_setting, collaborate

SHOWN = ("DC(rand)", "DC(TSVD)", "DC(SMOTE)")


def draw_set(docs: Path, seed: int = 0) -> Path:
    """Draw features 1 to 3 of training, test and public rows (Figure 1)."""
    problem = artificial(seed)
    parts = {
        "training": (problem.X, _colours(problem.y)),
        "test": (problem.X_test, _colours(problem.y_test)),
        "public": (problem.public, "tab:gray"),
    }
    titled = {f"{name}, {len(X)} rows": (X, c) for name, (X, c) in parts.items()}
    return save(_clouds(titled), docs, "smote-anchors-figure-1")


def draw_anchors(docs: Path, seed: int = 0) -> Path:
    """Draw features 1 to 3 of the anchors that Table 1 compares (Figure 2)."""
    problem = artificial(seed)
    anchors = anchors_of(problem, 25, {"": 3})
    models = {name: collaborate(artificial_setting(), problem, anchors[name]) for name in SHOWN}
    shown = {name: (model.anchor_, "tab:gray") for name, model in models.items()}
    return save(_clouds(shown), docs, "smote-anchors-figure-2")


def _colours(y: Labels) -> Any:
    return np.where(y == 0, "tab:blue", "tab:red")


def _clouds(parts: dict[str, tuple[Array, Any]]) -> Figure:
    figure = Figure(figsize=(10.5, 3.6), layout="constrained")
    for place, (title, (X, colours)) in enumerate(parts.items()):
        ax: Any = figure.add_subplot(1, len(parts), place + 1, projection="3d")
        ax.scatter(*X[:, :3].T, s=2, c=colours)
        ax.set(title=title, xlabel="feature 1", ylabel="feature 2", zlabel="feature 3")
        for set_limits in (ax.set_xlim, ax.set_ylim, ax.set_zlim):
            set_limits(-2.2, 2.2)
    return figure
