"""From the cells of a column to columns of a matrix, and counts of what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.sources.faults import Fault
from consilience.study.column_faults import (
    Beyond,
    category_faults,
    missing_faults,
    number_faults,
    outside_faults,
)
from consilience.study.columns import Categorical, Column, Date, Numeric, Ordinal
from consilience.study.values import Read, category_codes, is_missing, read_days, read_numbers

__all__ = ["Counts", "encode_column", "word_counts"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """What is wrong with a column, in counts that add up over parts of a table.

    Parameters
    ----------
    missing : int
    beyond : Beyond
    wrong : tuple of Fault
        Cells that are none of its kind; of parts of a table, part by part.
    """

    missing: int
    beyond: Beyond
    wrong: tuple[Fault, ...]

    def __add__(self, other: Counts) -> Counts:
        missing, beyond = self.missing + other.missing, self.beyond + other.beyond
        return Counts(missing, beyond, self.wrong + other.wrong)


def word_counts(name: str, column: Column, counts: Counts) -> list[Fault]:
    """Say what is wrong with a column, from its counts."""
    since = column.first if isinstance(column, Date) else None
    if isinstance(column, Categorical | Ordinal):
        ordered = isinstance(column, Ordinal)
        filled = "the middle of the order" if ordered else "none of the categories"
        return [*counts.wrong, *missing_faults(name, counts.missing, column.missing, filled)]
    middle = column.middle
    filled = f"{middle:g}" if since is None else f"{since + timedelta(days=middle)}"
    return [
        *counts.wrong,
        *missing_faults(name, counts.missing, column.missing, filled),
        *outside_faults(name, counts.beyond, column.bounds, column.outside, since),
    ]


def encode_column(
    name: str, column: Column, values: pd.Series
) -> tuple[Array, npt.NDArray[np.bool_], Counts]:
    """Return the columns of the matrix, where cells are missing, and what is wrong."""
    if isinstance(column, Numeric):
        read, meant = read_numbers(values), "finite numbers"
        return _encode_number(name, column, values, read, meant)
    if isinstance(column, Date):
        read, meant = read_days(values, column.first), "days, written as 2023-05-31 or 31.05.2023"
        return _encode_number(name, column, values, read, meant)
    return _encode_choice(name, column, values)


def _encode_number(
    name: str, column: Numeric | Date, values: pd.Series, read: Read, meant: str
) -> tuple[Array, npt.NDArray[np.bool_], Counts]:
    lower, upper = column.bounds
    beyond = Beyond.of(read.numbers, column.bounds)
    wrong = number_faults(name, values, read, meant)
    encoded, n_missing = read.numbers, int(read.missing.sum())
    if n_missing or beyond != Beyond():
        encoded = np.where(read.missing, column.middle, np.clip(encoded, lower, upper))
    return encoded[:, None], read.missing, Counts(n_missing, beyond, tuple(wrong))


def _encode_choice(
    name: str, column: Categorical | Ordinal, values: pd.Series
) -> tuple[Array, npt.NDArray[np.bool_], Counts]:
    codes = category_codes(column.categories, values)
    # "NA" is a category where the study says so, and else a sign for none.
    missing = (codes < 0) & is_missing(values)
    wrong = category_faults(name, values, (codes < 0) & ~missing, column.categories)
    counts = Counts(int(missing.sum()), Beyond(), tuple(wrong))
    n = len(column.categories)
    if isinstance(column, Ordinal):
        places = np.where(missing, column.middle, codes.astype(np.float64))
        return places[:, None], missing, counts
    one_hot = np.zeros((len(codes), n))
    rows = np.flatnonzero(codes >= 0)
    one_hot[rows, codes[rows]] = 1.0
    return one_hot, missing, counts
