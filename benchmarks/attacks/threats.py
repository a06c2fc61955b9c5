"""The table of the threat model: coalition, what it holds, what it rebuilds, what defends."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

__all__ = ["threat_table"]


def threat_table(results: pd.DataFrame) -> pd.DataFrame:
    """Make the table from the results of the benchmark; each figure is a range over data sets.

    Which coalition stands in which cell, before and after the defence, is in ``threats.csv``.

    Parameters
    ----------
    results : DataFrame
        With the columns table, data, setting, method, metric and ours.

    Returns
    -------
    DataFrame
        One row per coalition; *rebuilds* and *recognises* in paper mode and with the defence.
    """
    threats = pd.read_csv(Path(__file__).parent / "threats.csv")
    found = results.set_index(["table", "setting", "method", "metric"]).ours.dropna()
    rows = []
    for threat in threats.itertuples():
        before = (threat.table, threat.setting, threat.method)
        after = (threat.table, threat.then_setting, threat.then_method)
        rows.append(
            {
                "coalition": threat.coalition,
                "holds": threat.holds,
                "rebuilds (median R2)": _range(found, (*before, "median R2")),
                "recognises (top-1)": _range(found, (*before, "top-1")),
                "defence": threat.defence,
                "then rebuilds": _range(found, (*after, "median R2")),
                "then recognises": _range(found, (*after, "top-1")),
            }
        )
    return pd.DataFrame(rows)


def _range(found: pd.Series, cell: tuple[object, ...]) -> str:
    values = found[found.index == cell]
    return "—" if values.empty else f"{values.min():.2f} to {values.max():.2f}"
