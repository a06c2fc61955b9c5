"""The columns of a table as the parties agreed on them, and the way from a table to a matrix.

Every party of a column group encodes with the same schema, so all get the same columns: a number
stays a number, an ordinal category becomes its place in the declared order, a nominal category
becomes one column per declared category. Bounds, and what a column usually is, are public knowledge
written into the study, never read from a party's rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import Field, model_validator

from consilience.sources.faults import Fault, refuse
from consilience.study.column_faults import (
    alike_names,
    category_faults,
    missing_faults,
    name_faults,
    number_faults,
    outside_faults,
)
from consilience.study.method import Terms
from consilience.study.values import Read, category_codes, is_missing, read_days, read_numbers

__all__ = ["REACH", "Categorical", "Column", "Date", "Encoded", "Numeric", "Ordinal", "Schema"]

Array = npt.NDArray[np.float64]
Missing = Literal["refuse", "fill", "drop"]
Positive = Annotated[float, Field(gt=0)]

REACH = 2.0
"""How many spreads to either side of its centre a column usually reaches."""


class _Described(Terms):
    """What is publicly known of a column beside its kind, and how much it counts.

    Parameters
    ----------
    spread : float, optional
        Its typical standard deviation, which counts as 1 where a study scales by spreads.
    weight : float, optional
        How much a spread of it counts against one of the others; 1 if nothing is said.
    """

    spread: Positive | None = None
    weight: Positive | None = None


class Numeric(_Described):
    """A number between two public bounds.

    Parameters
    ----------
    bounds : tuple of float
        Least and largest value a row may have.
    center : float, optional
        What the number usually is; the middle of the bounds if nothing is said.
    spread : float, optional
        Its typical standard deviation; a quarter of the width of the bounds if nothing is said.
    weight : float, optional
    outside : {"refuse", "clip"}
        What happens to values beyond the bounds.
    missing : {"refuse", "fill", "drop"}
        ``fill`` puts the centre, ``drop`` leaves the row out of the study.
    """

    kind: Literal["numeric"] = "numeric"
    bounds: tuple[float, float]
    center: float | None = None
    outside: Literal["refuse", "clip"] = "refuse"
    missing: Missing = "refuse"

    @model_validator(mode="after")
    def _ordered(self) -> Numeric:
        lower, upper = self.bounds
        if not lower < upper:
            raise ValueError(f"bounds == {list(self.bounds)}, must be [lower, upper], lower first")
        if self.center is not None and not lower <= self.center <= upper:
            raise ValueError(
                f"center == {self.center:g}, must lie within the bounds [{lower:g}, {upper:g}]"
            )
        if self.spread is not None and self.spread > upper - lower:
            raise ValueError(
                f"spread == {self.spread:g}, must be <= {upper - lower:g}, the width of the "
                f"bounds: no standard deviation is larger"
            )
        return self

    @property
    def middle(self) -> float:
        """What the number usually is."""
        return sum(self.bounds) / 2 if self.center is None else self.center

    @property
    def usual_spread(self) -> float:
        """Its standard deviation, as stated or as its bounds suggest."""
        return self.spread or (self.bounds[1] - self.bounds[0]) / (2 * REACH)


class Date(_Described):
    """A day between two public ones, which becomes the number of days since the first.

    Parameters
    ----------
    first, last : date
        The earliest and the latest day a row may have.
    spread : float, optional
        Its typical standard deviation in days.
    weight : float, optional
    outside, missing
        As of numbers; ``fill`` puts the day in the middle.
    """

    kind: Literal["date"] = "date"
    first: date
    last: date
    outside: Literal["refuse", "clip"] = "refuse"
    missing: Missing = "refuse"

    @model_validator(mode="after")
    def _ordered(self) -> Date:
        if not self.first < self.last:
            raise ValueError(f"first == {self.first}, must be before last, {self.last}")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """Days since the first day: 0, and those to the last."""
        return 0.0, float((self.last - self.first).days)

    @property
    def middle(self) -> float:
        """The day in the middle, as days since the first."""
        return self.bounds[1] / 2

    @property
    def usual_spread(self) -> float:
        """Its standard deviation in days, as stated or as its bounds suggest."""
        return self.spread or self.bounds[1] / (2 * REACH)


class _Choice(_Described):
    categories: tuple[str, ...] = Field(min_length=2)
    missing: Missing = "refuse"

    @model_validator(mode="after")
    def _distinct(self) -> _Choice:
        if len(set(self.categories)) < len(self.categories):
            raise ValueError(f"categories == {list(self.categories)}, must not repeat")
        return self


class Categorical(_Choice):
    r"""One of several names without order; a missing one fills as none of them.

    Its columns of zeros and ones vary by :math:`1 - \sum_k p_k^2` in all, where :math:`p_k` are the
    shares of the categories. The root of that is its spread: divided by it, the categories
    together count as much as one number. If nothing is said, they are taken as equally frequent.
    """

    kind: Literal["categorical"] = "categorical"

    @property
    def middle(self) -> float:
        """The share of a category, if all are equally frequent."""
        return 1 / len(self.categories)

    @property
    def usual_spread(self) -> float:
        """The standard deviation of all its columns together."""
        return self.spread or math.sqrt(1 - 1 / len(self.categories))


class Ordinal(_Choice):
    """One of several names in rising order; a missing one fills as the middle of the order."""

    kind: Literal["ordinal"] = "ordinal"

    @property
    def middle(self) -> float:
        """The middle of the order."""
        return (len(self.categories) - 1) / 2

    @property
    def usual_spread(self) -> float:
        """Its standard deviation, as stated or if all places are equally frequent."""
        return self.spread or math.sqrt((len(self.categories) ** 2 - 1) / 12)


Column = Annotated[Numeric | Date | Categorical | Ordinal, Field(discriminator="kind")]


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table as a matrix.

    Parameters
    ----------
    matrix : ndarray of shape (n_kept, n_features)
    kept : ndarray of shape (n_kept,), int
        Places in the table of the rows of the matrix; rows may be left out by a ``drop`` rule.
    """

    matrix: Array
    kept: npt.NDArray[np.intp]


class Schema(Terms):
    """The columns of one column group.

    Parameters
    ----------
    columns : dict of str to Numeric, Date, Categorical or Ordinal

    Examples
    --------
    >>> schema = Schema(columns={"age": Numeric(bounds=(0, 120)),
    ...                          "ward": Categorical(categories=("north", "south"))})
    >>> schema.feature_names
    ['age', 'ward=north', 'ward=south']
    >>> table = pd.DataFrame({"ward": ["south", "north"], "age": [40, 50]})
    >>> schema.encode(table).matrix
    array([[40.,  0.,  1.],
           [50.,  1.,  0.]])
    """

    columns: dict[str, Column] = Field(min_length=1)

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of the matrix."""
        names = []
        for name, column in self.columns.items():
            if isinstance(column, Categorical):
                names += [f"{name}={category}" for category in column.categories]
            else:
                names.append(name)
        return names

    @property
    def n_free(self) -> int:
        """In how many dimensions rows can differ: the categories of a column add up to one."""
        kinds = self.columns.values()
        return len(self.feature_names) - sum(isinstance(c, Categorical) for c in kinds)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bound of each column of the matrix."""
        lower, upper = [], []
        for column in self.columns.values():
            if isinstance(column, Numeric | Date):
                lower.append(column.bounds[0])
                upper.append(column.bounds[1])
            elif isinstance(column, Ordinal):
                lower.append(0.0)
                upper.append(len(column.categories) - 1.0)
            else:
                lower += [0.0] * len(column.categories)
                upper += [1.0] * len(column.categories)
        return np.array(lower), np.array(upper)

    @property
    def ranges(self) -> tuple[Array, Array]:
        """Where each column of the matrix usually lies: four of its units around its middle.

        Examples
        --------
        >>> skewed = Numeric(bounds=(0, 100_000), center=1_000, spread=5_000)
        >>> ward = Categorical(categories=("n", "s"), weight=0.5)
        >>> lower, upper = Schema(columns={"gain": skewed, "ward": ward}).ranges
        >>> (upper - lower).round(2) / 4
        array([5.000e+03, 1.415e+00, 1.415e+00])
        """
        columns = self.columns.values()
        repeats = [len(c.categories) if isinstance(c, Categorical) else 1 for c in columns]
        middle = np.repeat([c.middle for c in columns], repeats)
        reach = np.repeat([REACH * c.usual_spread / (c.weight or 1) for c in columns], repeats)
        return middle - reach, middle + reach

    def encode(self, table: pd.DataFrame) -> Encoded:
        """Turn a table into a matrix, in the order of the schema.

        Columns may come in any order; a table that does not fit is refused for all its faults at
        once, with names and counts, never with a value.
        """
        encoded, faults = self.examine(table)
        refuse(faults)
        assert encoded is not None, "a table without faults can be encoded"
        return encoded

    def examine(self, table: pd.DataFrame) -> tuple[Encoded | None, list[Fault]]:
        """Find everything that is wrong with a table, and encode it if nothing is.

        Returns
        -------
        encoded : Encoded, or None if the table is refused
        faults : list of Fault
            Also what is merely told of: values filled, clipped, or left out with their row.
        """
        faults = name_faults(list(self.columns), list(table.columns))
        if not len(table):
            faults.append(Fault("the table has no rows; a party contributes at least one", 0))
        matrix = None if faults else np.empty((len(table), len(self.feature_names)))
        if faults and not table.columns.duplicated().any():
            # What is in a column is of interest, though it is called "Age " for age.
            alike = alike_names(self.columns, table.columns)
            table = table.rename(columns={found: name for name, found in alike.items()})
        dropped, start = np.zeros(len(table), dtype=bool), 0
        for name, column in self.columns.items():
            if name not in table or table.columns.duplicated().any():
                continue
            block, missing, found = _encode_column(name, column, table[name])
            faults += found
            if matrix is not None:
                matrix[:, start : start + block.shape[1]] = block
                start += block.shape[1]
            if column.missing == "drop":
                dropped |= missing
        kept = np.flatnonzero(~dropped)
        if len(table) and not len(kept):
            what = "every row has a missing value in a column whose rule is 'drop'"
            faults.append(Fault(what, len(table), "Fill them, or agree on 'fill'."))
        if matrix is None or any(fault.refused for fault in faults):
            return None, faults
        return Encoded(matrix if len(kept) == len(matrix) else matrix[kept], kept), faults


def _encode_column(
    name: str, column: Column, values: pd.Series
) -> tuple[Array, npt.NDArray[np.bool_], list[Fault]]:
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
) -> tuple[Array, npt.NDArray[np.bool_], list[Fault]]:
    lower, upper = column.bounds
    middle = column.middle
    since = column.first if isinstance(column, Date) else None
    filled = f"{middle:g}" if since is None else f"{since + timedelta(days=middle)}"
    faults = [
        *number_faults(name, values, read, meant),
        *missing_faults(name, read.missing, column.missing, filled),
        *outside_faults(name, read, column.bounds, column.outside, since),
    ]
    encoded = np.where(read.missing, middle, np.clip(read.numbers, lower, upper))
    return encoded[:, None], read.missing, faults


def _encode_choice(
    name: str, column: Categorical | Ordinal, values: pd.Series
) -> tuple[Array, npt.NDArray[np.bool_], list[Fault]]:
    codes = category_codes(column.categories, values)
    # "NA" is a category where the study says so, and else a sign for none.
    missing = (codes < 0) & is_missing(values)
    ordered = isinstance(column, Ordinal)
    filled = "the middle of the order" if ordered else "none of the categories"
    faults = [
        *category_faults(name, values, (codes < 0) & ~missing, column.categories),
        *missing_faults(name, missing, column.missing, filled),
    ]
    n = len(column.categories)
    if ordered:
        places = np.where(missing, column.middle, codes.astype(np.float64))
        return places[:, None], missing, faults
    one_hot = np.zeros((len(codes), n))
    rows = np.flatnonzero(codes >= 0)
    one_hot[rows, codes[rows]] = 1.0
    return one_hot, missing, faults
