"""The pictures of a report, as SVG.

Points are painted into the picture, not written as numbers: a coordinate cannot be read back from
the file to more than a pixel. Clusters differ by colour, by marker and by the number written at
their middle, so that a page in grey, or read by the colour-blind, says the same.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "SAMPLE_ROWS",
    "WIDTH",
    "draw_choice",
    "draw_map",
    "draw_profiles",
    "draw_sizes",
    "look",
    "new_figure",
    "report_style",
    "sample",
    "to_svg",
    "two_directions",
]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

SAMPLE_ROWS = 5_000
"""Rows a picture shows at most."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#5e3c99", "#404040")
MARKERS = "o^sDvP*X"
HOLDERS = ("#2f4156", "#8fa6bd", "#5b7f95", "#c3cfda")
"""Greys for who holds rows, so that nobody takes a holder for a cluster."""
NOISE = "#9aa3ae"
INK, SOFT = "#1c2430", "#4a5565"
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Noto Sans", "Arial", "sans-serif"],
    "font.size": 10.0,
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": "#8a94a3",
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "svg.fonttype": "none",
    "svg.hashsalt": "consilience",
}
WIDTH = 6.6
"""Inches; wider, and the letters are too small on a phone."""


@contextmanager
def report_style() -> Iterator[None]:
    """Draw in the style of the report; a function that draws is decorated with it."""
    import matplotlib

    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # The browser has the letters that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def new_figure(height: float = 4.0) -> tuple[Figure, Axes]:
    """Return an empty figure of the width of a page, in inches, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def to_svg(figure: Figure) -> bytes:
    """Return a figure as SVG, the same bytes for the same figure."""
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", metadata=nothing, dpi=150)
    return stream.getvalue()


def sample(n_rows: int, n_shown: int = SAMPLE_ROWS) -> npt.NDArray[np.intp]:
    """Return the places of the rows that are shown: all, or a random part, always the same."""
    if n_rows <= n_shown:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).choice(n_rows, size=n_shown, replace=False))


@report_style()
def draw_map(X: Array, labels: Labels, axis: str) -> bytes:
    """Draw rows in the two directions in which they differ most, coloured by cluster.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_dimensions)
        At least one row. With a single dimension the clusters stand above each other.
    labels : ndarray of shape (n_rows,)
        -1 is drawn as noise.
    axis : str
        What a direction is a direction of.
    """
    figure, axes = new_figure(4.6)
    points = two_directions(X)
    single = points.shape[1] == 1
    if single:
        jitter = np.random.default_rng(0).uniform(-0.28, 0.28, len(points))
        points = np.column_stack([points[:, 0], labels + jitter])
    size = float(np.clip(9_000 / len(points), 8, 30))
    for k in np.unique(labels):
        inside = points[labels == k]
        colour, marker = (NOISE, "x") if k < 0 else look(int(k))
        axes.scatter(
            inside[:, 0],
            inside[:, 1],
            s=size,
            c=colour,
            marker=marker,
            alpha=0.65,
            linewidths=0.8 if k < 0 else 0,
            rasterized=True,
            label="none" if k < 0 else str(k),
        )
    for k in np.unique(labels[labels >= 0]):
        place = np.median(points[labels == k], axis=0)
        axes.annotate(
            str(k),
            tuple(place),
            ha="center",
            va="center",
            fontsize=9,
            fontweight="bold",
            bbox={
                "boxstyle": "circle,pad=0.2",
                "facecolor": (1, 1, 1, 0.75),
                "edgecolor": look(int(k))[0],
            },
        )
    axes.set_xlabel(f"first direction of {axis}")
    axes.set_ylabel("cluster" if single else "second direction")
    if single:
        axes.set_yticks(np.unique(labels))
    axes.legend(
        title="cluster",
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        markerscale=float(np.sqrt(40 / size)),
    )
    return to_svg(figure)


@report_style()
def draw_sizes(sizes: npt.NDArray[np.int64], names: Sequence[str]) -> bytes:
    """Draw the rows of each cluster, stacked by who holds them.

    Parameters
    ----------
    sizes : ndarray of shape (n_holders, n_clusters)
    names : sequence of str
        The holders.
    """
    n_clusters = sizes.shape[1]
    figure, axes = new_figure(0.9 + 0.36 * n_clusters + (0.4 if len(names) > 1 else 0))
    start = np.zeros(n_clusters)
    own = [look(k)[0] for k in range(n_clusters)]
    for i, (row, name) in enumerate(zip(sizes, names, strict=True)):
        axes.barh(
            np.arange(n_clusters),
            row,
            left=start,
            color=HOLDERS[i % len(HOLDERS)] if len(names) > 1 else own,
            hatch=["", "//", "..", "xx"][i // len(HOLDERS) % 4],
            edgecolor="white",
            label=_short(name),
        )
        start += row
    for k, total in enumerate(start):
        axes.text(total, k, f" {int(total):,}", va="center", ha="left", color=SOFT)
    axes.set_yticks(np.arange(n_clusters), [f"cluster {k}" for k in range(n_clusters)])
    axes.set_ylim(n_clusters - 0.4, -0.6)
    axes.set_xlim(0, max(float(start.max(initial=0)), 1.0) * 1.12)
    axes.set_xlabel("rows")
    if len(names) > 1:
        figure.legend(loc="outside lower center", ncols=4, frameon=False)
    return to_svg(figure)


@report_style()
def draw_choice(scores: Mapping[int, float], chosen: int, criterion: str) -> bytes:
    """Draw the score of each number of clusters that was tried."""
    figure, axes = new_figure(2.9)
    numbers = sorted(scores)
    axes.plot(numbers, [scores[k] for k in numbers], color=COLOURS[0], marker="o")
    if chosen in scores:
        axes.plot(
            [chosen], [scores[chosen]], "o", ms=13, mfc="none", mec=COLOURS[1], mew=2.2, zorder=3
        )
        axes.annotate(
            f"chosen: {chosen}",
            (chosen, scores[chosen]),
            xytext=(11, 0),
            textcoords="offset points",
            va="center",
            color="#9c4300",
            fontweight="bold",
        )
    axes.set_xticks(numbers)
    axes.set_xlabel("number of clusters")
    axes.set_ylabel(criterion)
    axes.grid(axis="y", color="#e3e7ed")
    axes.margins(y=0.15)
    return to_svg(figure)


@report_style()
def draw_profiles(differences: Array, columns: Sequence[str], clusters: Sequence[int]) -> bytes:
    """Draw how far each cluster lies from the rest on each column.

    Parameters
    ----------
    differences : ndarray of shape (n_columns, n_clusters)
        Standardised differences; NaN where there is none.
    columns : sequence of str
    clusters : sequence of int
    """
    n_columns, n_clusters = differences.shape
    narrow = n_clusters > 8
    figure, axes = new_figure(1.3 + 0.3 * n_columns)
    limit = max(float(np.nanmax(np.abs(differences), initial=0.0)), 0.5)
    image = axes.imshow(differences, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    for place, value in np.ndenumerate(differences):
        if np.isfinite(value):
            colour = "white" if abs(value) > 0.6 * limit else INK
            sign = "" if narrow else "+"
            text = f"{value:{sign}.1f}".replace("-", "−") if abs(value) >= 0.05 else "0"
            style: dict[str, Any] = {"fontsize": 6.5 if narrow else 8, "color": colour}
            axes.text(place[1], place[0], text, ha="center", va="center", **style)
    axes.set_xticks(np.arange(n_clusters), [str(k) for k in clusters])
    axes.set_yticks(np.arange(n_columns), [_short(name) for name in columns])
    axes.set_xlabel("cluster")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, label="standard deviations from the rest", fraction=0.05, pad=0.02)
    return to_svg(figure)


def two_directions(X: Array) -> Array:
    """Return the coordinates along the first two principal directions, or along the only one."""
    if X.shape[1] == 1:
        return X
    Z = X - X.mean(axis=0)
    _, vectors = np.linalg.eigh(Z.T @ Z)
    first = vectors[:, ::-1][:, :2]
    # A direction and its opposite are the same; take the one whose largest entry is positive.
    signs = np.sign(first[np.abs(first).argmax(axis=0), np.arange(first.shape[1])])
    return np.asarray(Z @ (first * signs))


def look(k: int) -> tuple[str, str]:
    """Return colour and marker of a cluster; 64 of them differ."""
    return COLOURS[k % len(COLOURS)], MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]


def _short(name: str, length: int = 30) -> str:
    """Return a name that fits beside an axis and that any reader of XML takes."""
    plain = "".join(letter if letter.isprintable() else " " for letter in name).strip()
    plain = plain or "(no name)"
    # Matplotlib leaves out of a legend what begins with an underscore.
    plain = f" {plain}" if plain.startswith("_") else plain
    return plain if len(plain) <= length else plain[: length - 1] + "…"
