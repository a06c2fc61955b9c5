"""The table of the threat model: coalition, what it holds, what it rebuilds, what defends."""

from __future__ import annotations

import pandas as pd

__all__ = ["threat_table"]


def threat_table(results: pd.DataFrame) -> pd.DataFrame:
    """Make the table from the results of the benchmark; each figure is a range over data sets.

    Parameters
    ----------
    results : DataFrame
        With the columns table, data, setting, method, metric and ours.

    Returns
    -------
    DataFrame
        One row per coalition; *rebuilds* and *recognises* in paper mode and with the defence.
    """
    rows = []
    for coalition, holds, where, defence, there in _ROWS:
        rows.append(
            {
                "coalition": coalition,
                "holds": holds,
                "rebuilds (median R2)": _range(results, where, "median R2"),
                "recognises (top-1)": _range(results, where, "top-1"),
                "defence": defence,
                "then rebuilds": _range(results, there, "median R2"),
                "then recognises": _range(results, there, "top-1"),
            }
        )
    return pd.DataFrame(rows)


Where = tuple[str, str, str]

_PAIR = "analyst + a party of the same columns"
_ROWS: tuple[tuple[str, str, Where, str, Where], ...] = (
    (
        _PAIR,
        "contribution, anchor",
        ("Collusion", "m-1", "least squares"),
        "half of the dimensions",
        ("Collusion", "m/2", "least squares"),
    ),
    (
        _PAIR,
        "contribution, anchor, rows alike",
        ("Collusion", "m-1", "with prior"),
        "half of the dimensions",
        ("Collusion", "m/2", "with prior"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "paper mode", "best collusion"),
        "a quarter of the dimensions",
        ("Defences", "1/4 of the dimensions", "best collusion"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "1/2 of the dimensions", "best collusion"),
        "a random rotation on top",
        ("Defences", "1/2, rotated", "best collusion"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "gaussian anchor", "best collusion"),
        "noise of 0.3 sd on every value",
        ("Defences", "m-1, noise of 0.3 sd", "best collusion"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "1/2 of the dimensions", "best collusion"),
        "calibrated noise, epsilon 1,000 per row",
        ("Defences", "1/2, epsilon 1000 per row", "best collusion"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "1/2 of the dimensions", "best collusion"),
        "calibrated noise, epsilon 100 per row",
        ("Defences", "1/2, epsilon 100 per row", "best collusion"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "1/2 of the dimensions", "best collusion"),
        "calibrated noise, epsilon 10 per row",
        ("Defences", "1/2, epsilon 10 per row", "best collusion"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "1/2 of the dimensions", "best collusion"),
        "a supervised reducer (LDA)",
        ("Defences", "1/2, LDA (supervised)", "best collusion"),
    ),
    (
        _PAIR,
        "the same",
        ("Defences", "1/2 of the dimensions", "best collusion"),
        "a curved reducer (kernel PCA)",
        ("Defences", "1/2, kernel PCA", "best collusion"),
    ),
    (
        "analyst alone",
        "all contributions, public bounds and quantiles",
        ("Analyst alone", "uniform, r = 2000", "by quantiles"),
        "gaussian anchor",
        ("Analyst alone", "gaussian, r = 2000", "by quantiles"),
    ),
    (
        "analyst alone",
        "all contributions, public bounds, quantiles and correlations",
        ("Analyst alone", "uniform, r = 2000", "by quantiles and correlations"),
        "gaussian anchor",
        ("Analyst alone", "gaussian, r = 2000", "by quantiles and correlations"),
    ),
    (
        "analyst alone, told which column is which",
        "all contributions, public bounds",
        ("Analyst alone", "uniform, r = 2000", "oracle"),
        "gaussian anchor",
        ("Analyst alone", "gaussian, r = 2000", "oracle"),
    ),
    (
        "analyst + m known rows",
        "contribution",
        ("Known rows", "m-1", "contribution"),
        "half of the dimensions",
        ("Known rows", "m/2", "contribution"),
    ),
    (
        "row-mate + m known rows",
        "shared coordinates",
        ("Known rows", "m-1", "shared coordinates"),
        "half of the dimensions",
        ("Known rows", "m/2", "shared coordinates"),
    ),
    (
        "row-mate + m known rows",
        "shared coordinates",
        ("Known rows", "m-1", "shared coordinates"),
        "answers of labels only",
        ("Known rows", "m-1", "labels"),
    ),
    (
        _PAIR + " + a register with half of the columns",
        "contribution, anchor",
        ("Linkage", "m-1", "linkage"),
        "a quarter of the dimensions",
        ("Linkage", "m/4", "linkage"),
    ),
    (
        _PAIR + " + a register with all columns",
        "contribution, anchor",
        ("Linkage", "m-1", "linkage, exact register"),
        "a quarter of the dimensions",
        ("Linkage", "m/4", "linkage, exact register"),
    ),
    (
        "peer of a consensus + 1 in 20 known rows",
        "labels and ranks, its own columns of the rows",
        ("Labels and ranks", "1 in 20 rows known", "labels and ranks"),
        "no message at all",
        ("Labels and ranks", "1 in 20 rows known", "nothing"),
    ),
    (
        "analyst + anybody who knows the order of the table",
        "contribution",
        ("Linkage", "m-1", "order of the table"),
        "rows shuffled before they leave",
        ("Linkage", "m-1", "order of the shuffled table"),
    ),
)


def _range(results: pd.DataFrame, where: Where, metric: str) -> str:
    table, setting, method = where
    values = results[
        (results.table == table)
        & (results.setting == setting)
        & (results.method == method)
        & (results.metric == metric)
    ].ours.dropna()
    if values.empty:
        return "—"
    return f"{values.min():.2f} to {values.max():.2f}"
