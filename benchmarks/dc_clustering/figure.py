"""The synthetic sets of DC-Clustering [Kawamata2025]_ and who holds their rows (Fig. 3)."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.pictures import save
from consilience.datasets import blobs, circles
from consilience.datasets.synthetic import Split


def draw_synthetic(docs: Path, seed: int = 0) -> Path:
    """Draw the two major features of both sets, iid and non-iid, in the colours of the holders."""
    figure = Figure(figsize=(12, 3.2), layout="constrained")
    axes = figure.subplots(1, 4)
    splits: tuple[Split, ...] = ("iid", "non-iid")
    for ax, (draw, how) in zip(axes, product((blobs, circles), splits), strict=True):
        grid = draw(how, random_state=seed)
        # The major feature of a column group is the one that varies most.
        spread = grid.X.std(axis=0)
        major = [part[int(spread[part].argmax())] for part in map(list, grid.columns)]
        colours = np.where(grid.parties == 0, "tab:orange", "tab:blue")
        ax.scatter(*grid.X[:, major].T, s=2, c=colours)
        ax.set(title=f"{draw.__name__}, {how}", xlabel="first group", ylabel="second group")
    return save(figure, docs, "dc-clustering-figure-3")
