"""Which method is better over many data sets: ranks, the Friedman test and Nemenyi's distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import friedmanchisquare, rankdata, studentized_range


class Comparison(NamedTuple):
    """Average ranks of methods, 1 is best, and what they are worth.

    ``p_value`` is Friedman's, of the hypothesis that all methods are equal. Two methods whose ranks
    differ by less than the critical difference are not told apart at level 0.05.
    """

    ranks: dict[str, float]
    p_value: float
    critical_difference: float
    n_blocks: int


def compare_ranks(scores: npt.NDArray[np.float64], methods: Sequence[str]) -> Comparison:
    """Rank the methods within each block and test whether they differ.

    ``scores`` has shape (n_blocks, n_methods), and more is better. A block is one data set, metric
    and scenario.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.2], [0.7, 0.4, 0.3], [0.9, 0.8, 0.1]])
    >>> result = compare_ranks(scores, ["a", "b", "c"])
    >>> result.ranks, round(result.p_value, 3), round(result.critical_difference, 2)
    ({'a': 1.0, 'b': 2.0, 'c': 3.0}, 0.018, 1.66)
    """
    ranks = np.vstack([rankdata(-block) for block in scores]).mean(axis=0)
    p_value = float(friedmanchisquare(*scores.T).pvalue) if len(methods) > 2 else float("nan")
    distance = critical_difference(len(methods), len(scores))
    named = dict(zip(methods, map(float, ranks), strict=True))
    return Comparison(named, p_value, distance, len(scores))


def critical_difference(n_methods: int, n_blocks: int, alpha: float = 0.05) -> float:
    r"""Return Nemenyi's critical difference of average ranks [Demsar2006]_.

    .. math:: CD = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    for k methods and N blocks.

    Examples
    --------
    >>> round(critical_difference(5, 30), 3)
    1.114
    """
    q = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def draw_diagram(comparisons: Mapping[str, Comparison], path: Path) -> Path:
    """Draw a critical-difference diagram for each comparison, by title, best rank on the right.

    Methods joined by a bar are within the critical difference of each other.
    """
    figure = Figure(figsize=(8, 1.9 * len(comparisons)), layout="constrained")
    axes = figure.subplots(len(comparisons), squeeze=False)[:, 0]
    for ax, (title, result) in zip(axes, comparisons.items(), strict=True):
        _draw_one(ax, title, result)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


def _draw_one(ax: Axes, title: str, result: Comparison) -> None:
    order = sorted(result.ranks, key=lambda method: result.ranks[method])
    best, worst = 1, len(order)
    for place, method in enumerate(order):
        rank = result.ranks[method]
        height = -0.35 - 0.3 * (place % 3)
        ax.plot([rank, rank], [0, height], color="0.3", lw=1)
        ax.text(rank, height, f"{method} {rank:.2f}", ha="center", va="top", fontsize=8)
    for place, start in enumerate(order):
        group = [
            m
            for m in order[place:]
            if result.ranks[m] - result.ranks[start] < result.critical_difference
        ]
        if len(group) > 1:
            ends = [result.ranks[group[0]] - 0.03, result.ranks[group[-1]] + 0.03]
            ax.plot(ends, [0.12 + 0.1 * place] * 2, color="tab:red", lw=3)
    ax.plot([best, worst], [0, 0], color="0.1", lw=1.5)
    ax.set_xticks(range(best, worst + 1))
    ax.set_xlim(worst + 0.4, best - 0.4)
    ax.set_ylim(-1.5, 0.8)
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    ax.set_title(f"{title} (critical difference {result.critical_difference:.2f})", fontsize=9)
