"""Counts of a solved study that may be shown to others: none that points to a few rows."""

from __future__ import annotations

import pandas as pd

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.separation import cluster_counts

__all__ = ["MIN_COUNT", "aggregate_counts"]

MIN_COUNT = 10
"""Counts below it are left empty."""


def aggregate_counts(analyst: Analyst) -> pd.DataFrame:
    """Return how many rows of each row institution are in each cluster.

    A count below 10 is left empty, and so is then the total of its cluster, from which it would
    follow.

    Parameters
    ----------
    analyst : Analyst
        After it has solved.
    """
    counts = pd.DataFrame(cluster_counts(analyst), index=list(analyst.joins))
    shown = counts.astype("Int64").mask(counts < MIN_COUNT)
    total = counts.sum().astype("Int64").mask((counts < MIN_COUNT).any())
    shown.loc["all"] = total
    long = shown.rename_axis("row institution").reset_index()
    return long.melt("row institution", var_name="cluster", value_name="rows")
