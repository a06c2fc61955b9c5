"""Pictures of the benchmark pages, in one style: drawn from the results by the run that wrote them.

They lie in ``docs/images``. A page shows its picture before its tables, and names the results.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import ceil
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

OURS, PUBLISHED = "#0b6e99", "#c2410c"
PANELS_A_ROW = 3


def save(figure: Figure, docs: Path, name: str) -> Path:
    """Write a figure to ``docs/images``; the same figure gives the same bytes."""
    path = docs / "images" / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    return path


def panels(n: int, height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``n`` panels, three in a row, each of this height in inches."""
    across = min(n, PANELS_A_ROW)
    down = ceil(n / across)
    figure = Figure(figsize=(9, height * down + 0.6), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False)
    for axes in grid.flat[n:]:
        axes.remove()
    for axes in grid.flat[:n]:
        axes.spines[["right", "top"]].set_visible(False)
    return figure, list(grid.flat[:n])


def published_and_ours(
    cells: pd.DataFrame, docs: Path, name: str, *, score: str, panel: str, line: str = "method"
) -> Path:
    """Draw published and measured values beside each other, line by line.

    Parameters
    ----------
    cells : DataFrame
        Of `benchmarks.tables.compare`: one score of each line of each panel.
    docs : Path
        The folder of the pages.
    name : str
        Of the picture.
    score : str
        What the values are, for the axis.
    panel, line : str
        Columns of ``cells``: a value of the first has a panel, one of the second a line in it. Both
        stand in the order of the cells.
    """
    lines = list(dict.fromkeys(cells[line]))[::-1]
    place: dict[Hashable, int] = {value: k for k, value in enumerate(lines)}
    parts = list(cells.groupby(panel, sort=False))
    figure, drawn = panels(len(parts), 0.5 + 0.22 * len(lines))
    for k, (axes, (title, part)) in enumerate(zip(drawn, parts, strict=True)):
        y = part[line].map(place).to_numpy()
        spread = part.ours_spread.fillna(0).to_numpy()
        axes.hlines(y, part.published, part.ours, color="#bbbbbb", zorder=1)
        axes.plot(part.published, y, "o", mfc="white", mec=PUBLISHED, label="published")
        axes.errorbar(part.ours, y, xerr=spread, fmt="o", ms=4, color=OURS, label="ours")
        axes.set_yticks(range(len(lines)), lines if k % PANELS_A_ROW == 0 else [])
        axes.set(title=str(title), ylim=(-0.6, len(lines) - 0.4))
        axes.grid(axis="x", color="#eeeeee")
        axes.set_axisbelow(True)
    for axes in drawn[-PANELS_A_ROW:]:
        axes.set_xlabel(score)
    figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return save(figure, docs, name)
