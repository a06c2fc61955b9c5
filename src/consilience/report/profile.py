r"""What sets a cluster apart on a party's own columns, in the units of its table.

The standardised difference of a numeric column is

.. math:: d = (\bar x_{\text{in}} - \bar x_{\text{rest}}) / s,

with :math:`s` the standard deviation of the column over all rows that have a cluster; of an ordinal
column the same with the place in the order; of a category the same with its share. Missing values
take no part: what the study fills in is not what the party holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.report.page import format_cell
from consilience.study.schema import Categorical, Column, Date, Numeric, Ordinal
from consilience.study.values import category_codes, read_days

__all__ = ["ColumnProfile", "profile_columns"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

QUARTILES = (0.25, 0.5, 0.75)
TOGETHER = "\u00a0·\u00a0"
"""Three numbers that belong together stay on one line."""


@dataclass(frozen=True)
class ColumnProfile:
    """One column, or one category of one, inside a cluster and in the rest.

    Parameters
    ----------
    name : str
        The column, or ``column = category``.
    inside, rest : tuple of str
        Mean (or share) and quartiles, as read; empty texts where there are no rows.
    difference : float
        Standardised; NaN where there is no rest.
    """

    name: str
    inside: tuple[str, str]
    rest: tuple[str, str]
    difference: float


def profile_columns(
    table: pd.DataFrame, clusters: Labels, columns: Mapping[str, Column], n_clusters: int
) -> list[list[ColumnProfile]]:
    """Describe each cluster on each column.

    Parameters
    ----------
    table : DataFrame of shape (n_rows, n_columns)
        As the party has it.
    clusters : ndarray of shape (n_rows,)
        -1 where a row has no cluster: such rows are neither inside nor among the rest.
    columns : mapping of str to Numeric, Categorical or Ordinal
    n_clusters : int

    Returns
    -------
    list of list of ColumnProfile
        For each cluster its columns, in the order of the schema.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 30, 60, 70]})
    >>> profiles = profile_columns(
    ...     table, np.array([0, 0, 1, 1]), {"age": Numeric(bounds=(0, 120))}, 2)
    >>> profiles[0][0].inside[0], profiles[0][0].rest[0], round(profiles[0][0].difference, 2)
    ('25', '65', -1.94)
    """
    profiles: list[list[ColumnProfile]] = [[] for _ in range(n_clusters)]
    labelled = clusters >= 0
    groups = clusters[labelled]
    for name, column in columns.items():
        values = table.loc[labelled, name]
        for label, numbers, words in _readings(name, column, values):
            for k in range(n_clusters):
                known = np.isfinite(numbers)
                inside, rest = numbers[known & (groups == k)], numbers[known & (groups != k)]
                profiles[k].append(
                    ColumnProfile(
                        label,
                        _describe(inside, words),
                        _describe(rest, words),
                        _difference(inside, rest, numbers[known]),
                    )
                )
    return profiles


def _readings(
    name: str, column: Column, values: pd.Series
) -> list[tuple[str, Array, tuple[str, ...] | None]]:
    """Return what is compared of a column: a label, numbers, and how to read them.

    Words are None for a number, empty for a share, and the categories of an ordinal column.
    """
    if isinstance(column, Numeric):
        numbers = pd.to_numeric(values, errors="coerce").to_numpy(np.float64, na_value=np.nan)
        return [(name, numbers, None)]
    if isinstance(column, Date):
        days = read_days(values, column.first).numbers
        return [(f"{name}, days since {column.first}", days, None)]
    codes = category_codes(column.categories, values).astype(np.float64)
    codes[codes < 0] = np.nan
    if isinstance(column, Ordinal):
        return [(name, codes, column.categories)]
    assert isinstance(column, Categorical)
    return [
        (f"{name} = {category}", np.where(np.isnan(codes), np.nan, codes == k), ())
        for k, category in enumerate(column.categories)
    ]


def _describe(numbers: Array, words: tuple[str, ...] | None) -> tuple[str, str]:
    if not len(numbers):
        return "", ""
    if words == ():
        return f"{numbers.mean():.0%}", ""
    mean = format_cell(float(numbers.mean()))
    if words is None:
        quartiles = np.quantile(numbers, QUARTILES)
        shown = (f"{q:.3g}" if abs(q) < 1000 else f"{q:,.0f}" for q in quartiles)
        return mean, TOGETHER.join(shown).replace("-", "−")
    places = np.quantile(numbers, QUARTILES, method="inverted_cdf").astype(int)
    return mean, " · ".join(words[p] for p in places)


def _difference(inside: Array, rest: Array, all_rows: Array) -> float:
    if not len(inside) or not len(rest):
        return float("nan")
    spread = float(all_rows.std())
    # A constant column has no spread but rounding.
    if spread <= 1e-12 * float(np.abs(all_rows).max()):
        return 0.0
    return float((inside.mean() - rest.mean()) / spread)
