"""Figures 2 and 3 of DC-CFL [Sugawara2026]_: accuracy over rounds and over the threshold."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

__all__ = ["draw_rounds", "draw_thresholds"]


def draw_rounds(rounds: pd.DataFrame, goal: float, path: Path) -> Path:
    """Draw Figure 2: mean test accuracy on covertype, C=3, after each round."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    shown = rounds[(rounds.data == "covertype") & (rounds.setting == "C=3")]
    for method, curve in shown.groupby("method", sort=False):
        axes.plot(curve["round"], curve.accuracy, label=str(method))
    axes.axhline(goal, linestyle="--", color="black", label="DC-CFL, one round")
    axes.set(xlabel="rounds", ylabel="accuracy", title="covertype, C=3")
    axes.legend()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    return path


def draw_thresholds(thresholds: pd.DataFrame, path: Path) -> Path:
    """Draw Figure 3: test accuracy of DC-CFL on covertype over its threshold."""
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for place, (setting, part) in enumerate(thresholds.groupby("setting")):
        axes = figure.add_subplot(1, 2, place + 1)
        by_t = part.groupby("t").accuracy
        axes.errorbar(by_t.mean().index, by_t.mean(), yerr=by_t.std(ddof=0), marker="o", capsize=3)
        axes.set(xlabel="t", ylabel="accuracy", title=f"covertype, {setting}")
    figure.savefig(path, dpi=110, metadata={"Software": None})
    return path
