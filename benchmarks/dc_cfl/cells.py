"""Reading the result table of the DC-CFL benchmark, and setting it the way the paper does."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.dc_cfl.problems import SETS, SPLITS
from benchmarks.tables import beside, markdown

__all__ = ["METHODS", "accuracies", "in_order", "tables_by_set", "value_of"]

METHODS = ("Local", "DC", "FedAvg", "FedProx", "Ditto", "FedClust", "DC-CFL")
"""The methods of Table 2, in its order."""


def in_order(cells: pd.DataFrame) -> pd.DataFrame:
    """Sort cells as Table 2 does, by data set and method; others come last."""
    rank = cells.method.map({name: k for k, name in enumerate(METHODS)}).fillna(len(METHODS))
    place = cells.data.map({name: k for k, name in enumerate(SETS)})
    return cells.assign(_place=place, _rank=rank).sort_values(["_place", "_rank"], kind="stable")


def value_of(table: pd.DataFrame, data: str, split: str, method: str, metric: str) -> float:
    """Return one measured number of Tables 2 and 3, NaN if there is none."""
    known = table[~table.table.str.startswith("Learner")]
    values = known.set_index(["data", "setting", "method", "metric"]).ours.to_dict()
    return float(values.get((data, split, method, metric), np.nan))


def tables_by_set(cells: pd.DataFrame, rows: list[str]) -> str:
    """Write one table per data set: ``rows`` name its lines, the splits its columns."""
    text = ""
    for name, part in in_order(cells).groupby("data", sort=False):
        part = part.assign(text=[_text(cell) for _, cell in part.iterrows()])
        lines = part[rows].drop_duplicates()
        found = part.pivot(index=rows, columns="setting", values="text").reset_index()
        found = lines.merge(found, on=rows)[[*rows, *SPLITS]].fillna("—")
        text += f"\n### {name}\n\n{markdown(found)}\n"
    return text


def _text(cell: pd.Series) -> str:
    if np.isnan(cell.published) and np.isnan(cell.ours):
        return "—"
    ours = f"{cell.ours:.4f}" + (f" ({cell.ours_spread:.3f})" if cell.trials > 1 else "")
    return ours if np.isnan(cell.published) else beside(cell, ours, 4)


def accuracies(table: pd.DataFrame) -> pd.DataFrame:
    """Return what was measured: a line per column of the paper, a column per method."""
    cells = table[(table.table == "Table 2") & (table.metric == "accuracy") & (table.trials > 0)]
    return cells.pivot(index=["data", "setting"], columns="method", values="ours")
