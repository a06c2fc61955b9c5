"""Data to try things on: the papers' sets, their splits, their synthetic grids."""

from consilience.datasets.loaders import Dataset, available, load
from consilience.datasets.splits import split_columns, split_rows
from consilience.datasets.synthetic import SyntheticGrid, blobs, circles

__all__ = [
    "Dataset",
    "SyntheticGrid",
    "available",
    "blobs",
    "circles",
    "load",
    "split_columns",
    "split_rows",
]
