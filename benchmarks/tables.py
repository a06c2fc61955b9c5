"""Published, ours, gap: one long table per paper, and a page a person can read.

A run adds one value per trial and cell. Every published cell stays in the result, also the ones
nothing was measured for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t as student

__all__ = ["CELL", "Trials", "compare", "interval", "markdown", "published", "write_csv"]

CELL = ["table", "data", "setting", "method", "metric"]
"""What names one number of a paper."""


def published(name: str) -> pd.DataFrame:
    """Return the published cells of a paper, from ``benchmarks/<name>/published.csv``.

    Examples
    --------
    >>> published("dc_clustering").query("table == 'Table 5'").method.tolist()
    ['local', 'local', 'kumar', 'hernandez-pereira', 'collaboration', 'collaboration']
    """
    return pd.read_csv(Path(__file__).parent / name / "published.csv")


class Trials:
    """Values measured so far, by cell.

    Examples
    --------
    >>> trials = Trials()
    >>> for value in (0.7, 0.9):
    ...     trials.add(("Table 1", "iris", "iid", "pooled", "ARI"), value)
    >>> trials.mean(("Table 1", "iris", "iid", "pooled", "ARI"))
    0.8
    """

    def __init__(self) -> None:
        self._values: dict[tuple[str, ...], list[float]] = defaultdict(list)

    def add(self, cell: Iterable[str], value: float) -> None:
        """Add the value of one trial to a cell."""
        self._values[tuple(cell)].append(float(value))

    def mean(self, cell: Iterable[str]) -> float:
        """Return the mean of a cell, NaN if nothing was measured."""
        values = self._values.get(tuple(cell), [])
        return float(np.mean(values)) if values else float("nan")

    def summary(self) -> pd.DataFrame:
        """Return one row per cell: mean, standard deviation and number of trials."""
        rows = [
            (*cell, np.mean(values), np.std(values), len(values))
            for cell, values in self._values.items()
        ]
        frame = pd.DataFrame(rows, columns=[*CELL, "ours", "ours_spread", "trials"])
        return frame.astype({"ours": float, "ours_spread": float, "trials": float})


def compare(measured: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Put measured beside published cells; the gap is ours minus published."""
    reference = reference.rename(columns={"spread": "published_spread"})
    both = reference.merge(measured, on=CELL, how="outer", sort=False)
    both["gap"] = both["ours"] - both["published"]
    both["trials"] = both["trials"].fillna(0).astype(int)
    columns = [*CELL, "published", "published_spread", "ours", "ours_spread", "gap", "trials"]
    return both[columns]


def markdown(frame: pd.DataFrame, decimals: int = 3) -> str:
    """Write a data frame as a Markdown table, numbers rounded and missing ones as a dash."""

    def text(value: object) -> str:
        if isinstance(value, float | np.floating):
            return "—" if np.isnan(value) else f"{value:.{decimals}f}"
        return str(value)

    head = "| " + " | ".join(map(str, frame.columns)) + " |"
    rule = "|" + "---|" * len(frame.columns)
    body = ["| " + " | ".join(map(text, row)) + " |" for row in frame.itertuples(index=False)]
    return "\n".join([head, rule, *body])


def interval(results: pd.DataFrame) -> pd.Series:
    """Return half the width of the 95 % confidence interval of each mean (Student's t).

    Examples
    --------
    >>> trials = Trials()
    >>> for value in (0.4, 0.5, 0.6):
    ...     trials.add(("Table 1", "iris", "iid", "pooled", "ARI"), value)
    >>> round(interval(trials.summary()).item(), 3)
    0.248
    """
    freedom = results.trials - 1
    known = freedom.where(freedom > 0)
    return results.ours_spread / known**0.5 * student.ppf(0.975, known)


def write_csv(frame: pd.DataFrame, path: Path) -> None:
    """Write results with enough digits to compare runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
