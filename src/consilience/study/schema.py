"""The columns of a table as the parties agreed on them, and the way from a table to a matrix.

Every party of a column group encodes with the same schema, so all get the same columns: a number
stays a number, an ordinal category becomes its place in the declared order, a nominal category
becomes one column per declared category. Bounds, and what a column usually is, are public knowledge
written into the study, never read from a party's rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import Field, model_validator

from consilience.exceptions import TableError
from consilience.study.method import Terms

__all__ = ["Categorical", "Column", "Encoded", "Numeric", "Ordinal", "Schema", "category_codes"]

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


Column = Annotated[Numeric | Categorical | Ordinal, Field(discriminator="kind")]


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
    columns : dict of str to Numeric, Categorical or Ordinal

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
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bound of each column of the matrix."""
        lower, upper = [], []
        for column in self.columns.values():
            if isinstance(column, Numeric):
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

        Columns may come in any order; missing, extra or ill-fitting ones are refused with their
        names and counts, never with a value.
        """
        self._check_names(table)
        if not len(table):
            raise TableError("the table has no rows; a party contributes at least one.")
        matrix = np.empty((len(table), len(self.feature_names)))
        dropped, start = np.zeros(len(table), dtype=bool), 0
        for name, column in self.columns.items():
            if isinstance(column, Numeric):
                block, missing = _encode_numeric(name, column, table[name])
            else:
                block, missing = _encode_choice(name, column, table[name])
            matrix[:, start : start + block.shape[1]] = block
            start += block.shape[1]
            if column.missing == "drop":
                dropped |= missing
        kept = np.flatnonzero(~dropped)
        if not len(kept):
            raise TableError("every row has a missing value in a column whose rule is 'drop'.")
        return Encoded(matrix if len(kept) == len(matrix) else matrix[kept], kept)

    def _check_names(self, table: pd.DataFrame) -> None:
        doubled = table.columns[table.columns.duplicated()].unique().tolist()
        missing = [name for name in self.columns if name not in table.columns]
        extra = [str(name) for name in table.columns if name not in self.columns]
        if doubled or missing or extra:
            parts = [("lacks", missing), ("also has", extra), ("repeats", doubled)]
            found = "; ".join(f"{verb} {names}" for verb, names in parts if names)
            raise TableError(
                f"the table does not have the columns of the study: it {found}. Rename or drop "
                f"columns until it has exactly {list(self.columns)}."
            )


def _encode_numeric(
    name: str, column: Numeric, values: pd.Series
) -> tuple[Array, npt.NDArray[np.bool_]]:
    # A missing entry is NaN either way; anything else that is not a number is an error.
    missing = values.isna().to_numpy()
    try:
        found = pd.to_numeric(values, errors="coerce")
        numbers = found.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):  # lists, dates and the like, from Parquet
        numbers = np.where(missing, np.nan, np.inf)
    n_text = int((np.isnan(numbers) & ~missing).sum())
    if n_text or np.isinf(numbers).any():
        raise TableError(
            f"column {name!r} has {n_text + int(np.isinf(numbers).sum())} values that are not "
            f"finite numbers; the study says it is numeric."
        )
    _refuse_missing(name, column.missing, missing)
    lower, upper = column.bounds
    with np.errstate(invalid="ignore"):
        n_outside = int(((numbers < lower) | (numbers > upper)).sum())
    if n_outside and column.outside == "refuse":
        raise TableError(
            f"column {name!r} has {n_outside} values outside the study's bounds "
            f"[{lower:g}, {upper:g}]. Correct them, or agree on wider bounds or on "
            f"outside = 'clip'."
        )
    encoded = np.where(missing, column.middle, np.clip(numbers, lower, upper))
    return encoded[:, None], missing


def category_codes(categories: tuple[str, ...], values: pd.Series) -> npt.NDArray[np.int64]:
    """Return the place of each value among the categories, -1 for none of them and for missing.

    Parameters
    ----------
    categories : tuple of str
    values : Series of shape (n,)
        Compared as text without surrounding blanks.

    Examples
    --------
    >>> category_codes(("low", "high"), pd.Series(["high", " low", None, "middle"])).tolist()
    [1, 0, -1, -1]
    """
    texts = values.astype("string").str.strip().to_numpy(dtype=object, na_value=np.nan)
    places = pd.Index(categories, dtype=object).get_indexer(pd.Index(texts, dtype=object))
    return places.astype(np.int64)


def _encode_choice(
    name: str, column: Categorical | Ordinal, values: pd.Series
) -> tuple[Array, npt.NDArray[np.bool_]]:
    missing = values.isna().to_numpy()
    codes = category_codes(column.categories, values)
    n_unknown = int(((codes < 0) & ~missing).sum())
    if n_unknown:
        raise TableError(
            f"column {name!r} has {n_unknown} values that are none of the declared categories "
            f"{list(column.categories)}. Correct them, or agree on more categories."
        )
    _refuse_missing(name, column.missing, missing)
    n = len(column.categories)
    if isinstance(column, Ordinal):
        places = np.where(missing, column.middle, codes.astype(np.float64))
        return places[:, None], missing
    one_hot = np.zeros((len(codes), n))
    rows = np.flatnonzero(~missing)
    one_hot[rows, codes[rows]] = 1.0
    return one_hot, missing


def _refuse_missing(name: str, rule: Missing, missing: npt.NDArray[np.bool_]) -> None:
    if rule == "refuse" and missing.any():
        raise TableError(
            f"column {name!r} has {int(missing.sum())} missing values and the study's rule is "
            f"'refuse'. Fill them, or agree on missing = 'fill' or 'drop'."
        )
