"""The columns of a table as the parties agreed on them, and the way from a table to a matrix.

Every party of a column group encodes with the same schema, so all get the same columns: a number
stays a number, an ordinal category becomes its place in the declared order, a nominal category
becomes one column per declared category. Bounds, and what a column usually is, are public knowledge
written into the study, never read from a party's rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pandas as pd
from pydantic import Field

from consilience.sources.faults import Fault, refuse
from consilience.study.column_faults import alike_names, name_faults
from consilience.study.columns import REACH, Categorical, Column, Date, Numeric, Ordinal
from consilience.study.encoding import Counts, encode_column, word_counts
from consilience.study.method import Terms

__all__ = ["REACH", "Categorical", "Column", "Date", "Encoded", "Numeric", "Ordinal", "Schema"]

Array = npt.NDArray[np.float64]


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
        refused = bool(faults)
        if refused and not table.columns.duplicated().any():
            # What is in a column is of interest, though it is called "Age " for age.
            alike = alike_names(self.columns, table.columns)
            table = table.rename(columns={found: name for name, found in alike.items()})
        encoded, counts = self.count(table)
        faults += self.word(counts)
        if len(table) and not len(encoded.kept):
            what = "every row has a missing value in a column whose rule is 'drop'"
            faults.append(Fault(what, len(table), "Fill them, or agree on 'fill'."))
        if refused or any(fault.refused for fault in faults):
            return None, faults
        return encoded, faults

    def count(self, table: pd.DataFrame) -> tuple[Encoded, dict[str, Counts]]:
        """Encode a table, or some rows of one, and count what is wrong with its columns.

        Columns that it lacks, or has twice, are left out: their names are looked at elsewhere.
        """
        matrix = np.empty((len(table), len(self.feature_names)))
        dropped, start = np.zeros(len(table), dtype=bool), 0
        counts: dict[str, Counts] = {}
        for name, column in self.columns.items():
            if name not in table or table.columns.duplicated().any():
                continue
            block, missing, counts[name] = encode_column(name, column, table[name])
            matrix[:, start : start + block.shape[1]] = block
            start += block.shape[1]
            if column.missing == "drop":
                dropped |= missing
        kept = np.flatnonzero(~dropped)
        return Encoded(matrix if len(kept) == len(matrix) else matrix[kept], kept), counts

    def word(self, counts: Mapping[str, Counts]) -> list[Fault]:
        """Say what is wrong with columns, from their counts."""
        found = (word_counts(name, self.columns[name], c) for name, c in counts.items())
        return list(chain.from_iterable(found))
