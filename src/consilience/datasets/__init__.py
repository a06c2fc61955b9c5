"""Data to try things on: the papers' sets, their splits, their synthetic grids."""

from consilience.datasets.hold_out import hold_out
from consilience.datasets.loaders import Dataset, available, load
from consilience.datasets.messy_hospitals import MessyHospitals, messy_hospitals
from consilience.datasets.multimodal import multimodal, simplex
from consilience.datasets.overlap import share_columns
from consilience.datasets.splits import split_columns, split_rows
from consilience.datasets.synthetic import SyntheticGrid, blobs, circles

__all__ = [
    "Dataset",
    "MessyHospitals",
    "SyntheticGrid",
    "available",
    "blobs",
    "circles",
    "hold_out",
    "load",
    "messy_hospitals",
    "multimodal",
    "share_columns",
    "simplex",
    "split_columns",
    "split_rows",
]
