"""Published, ours, gap: one long table per paper, and how it is shown to a person.

A run adds one value per trial and cell. Every published cell stays in the result, also the ones
nothing was measured for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from benchmarks.store import Measured

CELL = ["table", "data", "setting", "method", "metric"]
"""What names one number of a paper."""


def published(paper: str) -> pd.DataFrame:
    """Return the published cells of a paper, from ``benchmarks/<paper>/published.csv``.

    Examples
    --------
    >>> published("dc_clustering").query("table == 'Table 5'").method.tolist()
    ['local', 'local', 'kumar', 'hernandez-pereira', 'collaboration', 'collaboration']
    """
    return pd.read_csv(Path(__file__).parent / paper / "published.csv")


class Trials:
    """Values measured so far, by cell.

    Examples
    --------
    >>> cell = ("Table 1", "iris", "iid", "pooled", "ARI")
    >>> Trials({"seed 0": [(cell, 0.7)], "seed 1": [(cell, 0.9)]}).mean(cell)
    0.8
    """

    def __init__(self, measured: Measured | None = None) -> None:
        self._values: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for part in (measured or {}).values():
            for cell, value in part:
                self.add(cell, value)

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


def one(results: pd.DataFrame, **where: str) -> Any:
    """Return the first row with these values in the columns named, such as ``data="iris"``."""
    for column, value in where.items():
        results = results[results[column] == value]
    return results.iloc[0]


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
    >>> cell = ("Table 1", "iris", "iid", "pooled", "ARI")
    >>> trials = Trials({"all": [(cell, value) for value in (0.4, 0.5, 0.6)]})
    >>> round(interval(trials.summary()).item(), 3)
    0.248
    """
    freedom = results.trials - 1
    known = freedom.where(freedom > 0)
    return results.ours_spread / known**0.5 * student.ppf(0.975, known)


def with_interval(results: pd.DataFrame, decimals: int) -> list[str]:
    """Write each mean with half the width of its interval, where there is more than one trial."""
    return [
        f"{mean:.{decimals}f}" + ("" if np.isnan(half) else f" ± {half:.{decimals}f}")
        for mean, half in zip(results.ours, interval(results), strict=True)
    ]


def beside(cell: Any, ours: str, decimals: int) -> str:
    """Write published, ours and gap of a cell; what was not measured is a dash."""
    gap = f"{cell.gap:+.{decimals}f}"
    if np.isnan(cell.ours):
        ours = gap = "—"
    return f"{cell.published:.{decimals}f} / {ours} / {gap}"


def wide(
    cells: pd.DataFrame,
    index: list[str],
    metrics: Iterable[str],
    columns: Mapping[str, Callable[[Any], object]],
) -> pd.DataFrame:
    """Return one row per ``index``, and for each metric all ``columns`` side by side.

    Parameters
    ----------
    cells : DataFrame
    index : list of str
        The method last; of the others, those that are the same in all rows are left out.
    metrics : iterable of str
    columns : mapping of str to callable
        From a cell to what is shown of it.
    """
    rows = []
    for names, group in cells.groupby(index, sort=False):
        row: dict[str, object] = dict(zip(index, names, strict=True))
        by_metric: dict[Any, Any] = {cell.metric: cell for cell in group.itertuples()}
        known = by_metric[group.metric.iloc[0]]
        nothing = known._replace(published=np.nan, ours=np.nan, gap=np.nan)
        for metric in metrics:
            for column, show in columns.items():
                row[f"{metric} {column}"] = show(by_metric.get(metric, nothing))
        rows.append(row)
    frame = pd.DataFrame(rows)
    return frame.drop(columns=[name for name in index[:-1] if frame[name].nunique() == 1])


def renew(frame: pd.DataFrame, out: Path, name: str, key: list[str]) -> pd.DataFrame:
    """Return the results on disk, those measured just now in place of the ones they renew.

    Parameters
    ----------
    frame : DataFrame
        Rows without trials were not measured and renew nothing.
    out, name
        As in :func:`write_csv`.
    key : list of str
        Columns that name a row.
    """
    known = read_csv(out, name)
    both = pd.concat([known, frame[frame.trials > 0]])
    places = both[key].drop_duplicates()
    return places.merge(both.drop_duplicates(key, keep="last"), on=key)[known.columns]


def read_csv(out: Path, name: str) -> pd.DataFrame:
    """Read ``benchmarks/results/<name>.csv``, as :func:`write_csv` left it."""
    return pd.read_csv(_results(out, name))


def write_csv(frame: pd.DataFrame, out: Path, name: str) -> Path:
    """Write ``benchmarks/results/<name>.csv``, with enough digits to compare runs."""
    path = _results(out, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    return path


def _results(out: Path, name: str) -> Path:
    return out / "benchmarks" / "results" / f"{name}.csv"
