"""The result of a comparison: a table, a picture, and what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from consilience.comparison.attack import MIN_ROWS
from consilience.comparison.figure import draw_comparison
from consilience.notebook import html_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MEANINGS", "Comparison"]

MEANINGS = {
    "agreement": "with the clusters of the pooled rows: adjusted Rand index, 1 is the same",
    "ARI": "adjusted Rand index with the known classes",
    "NMI": "normalised mutual information with the known classes",
    "ACC": "share of rows on which classes and clusters agree, matched as well as possible",
    "clusters": "that were found",
    "kilobytes": "that left all institutions together, before sealing",
    "rebuilt": "R2 of a typical column, for who knows a few of the rows and reads all that left",
    "recognised": "share of the rows, for who knows the columns of everybody",
    "as they are": "share of the rows that stand in what left",
    "seconds": "of this machine, for all institutions one after the other",
}
"""What each column of a comparison says."""
NOT_KNOWN = (
    f"not known: no institution has the {MIN_ROWS} rows that it takes to know some and score the "
    f"others, or what the method sends is not known"
)
"""What a dash says."""
SHARES = ("recognised", "as they are")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods side by side on one table.

    Parameters
    ----------
    table : DataFrame
        A line for each method, :data:`MEANINGS` says what the columns are; NaN is not known.
    left_out : dict of str to str
        The methods that were not run, or refused, each with the reason.
    """

    table: pd.DataFrame
    left_out: Mapping[str, str]

    def __str__(self) -> str:
        return self.to_text()

    def rows(self) -> list[list[str]]:
        """Return the lines as texts, rounded for reading."""
        names = list(self.table.columns)
        return [
            [str(method), *(_shown(name, value) for name, value in zip(names, line, strict=True))]
            for method, line in zip(self.table.index, self.table.to_numpy(), strict=True)
        ]

    def to_text(self) -> str:
        """Return the table as text, and what its columns say."""
        table = pd.DataFrame(self.rows(), columns=["method", *self.table.columns])
        lines = [table.to_string(index=False), ""]
        lines += [f"{name}: {meaning}" for name, meaning in self._meanings().items()]
        lines += [f"left out: {name}: {why}" for name, why in self.left_out.items()]
        return "\n".join(lines)

    def _meanings(self) -> dict[str, str]:
        """Return what the columns say, and the dash if there is one."""
        meanings = {name: MEANINGS[name] for name in self.table.columns}
        return {**meanings, "–": NOT_KNOWN} if self.table.isna().to_numpy().any() else meanings

    def plot(self) -> Figure:
        """Draw agreement with pooled against what is given away; lower right is best.

        Returns
        -------
        matplotlib.figure.Figure
            Belongs to no window: a notebook shows it, ``savefig`` writes it.
        """
        return draw_comparison(self.table)

    def _repr_html_(self) -> str:
        meanings = "; ".join(f"{name}: {said}" for name, said in self._meanings().items())
        left = "".join(f" Left out: {name}: {why}" for name, why in self.left_out.items())
        return html_table(["method", *self.table.columns], self.rows(), note=f"{meanings}.{left}")


def _shown(name: str, value: Any) -> str:
    if value != value:
        return "–"
    if name in SHARES:
        return f"{value:.1%}" if 0 < value < 0.1 else f"{value:.0%}"
    if name == "clusters":
        return f"{value:.0f}"
    return f"{value:,.1f}" if name in ("kilobytes", "seconds") else f"{value:.3f}"
