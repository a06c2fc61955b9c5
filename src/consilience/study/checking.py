"""One pass over a table: everything that is wrong with it, before anything is made of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.holdings import Place
from consilience.sources.delimited import Found
from consilience.sources.faults import Fault, counted, refuse
from consilience.sources.reading import read_source
from consilience.sources.source import Kinds, Source
from consilience.study.id_faults import id_column_faults, id_faults, shape_of_ids
from consilience.study.method import Method
from consilience.study.pseudonyms import normalise_ids
from consilience.study.schema import Encoded, Numeric, Schema
from consilience.study.study import Study
from consilience.study.values import explain_categories

__all__ = [
    "CheckedTable",
    "as_classes",
    "check_found",
    "check_table",
    "kinds_of",
    "unlabelled_faults",
]


@dataclass(frozen=True, eq=False)
class CheckedTable:
    """A table, and what is to be said about it.

    Parameters
    ----------
    told : str
        How it was read, in words.
    faults : list of Fault
    ids, normalised : Series of str
        Every id of the table, as written there and as the study compares them.
    chosen : ndarray of int
        Places of the rows whose ids take part.
    encoded : Encoded, or None
        The chosen rows as a matrix, if nothing is refused.
    target : ndarray of shape (n_rows,), or None
        The class of each row as a text, None where it is empty; in a study that learns.
    table : DataFrame
        The columns, in their own order.
    """

    told: str
    faults: list[Fault]
    ids: pd.Series
    normalised: pd.Series
    chosen: npt.NDArray[np.intp]
    encoded: Encoded | None
    target: npt.NDArray[np.object_] | None
    table: pd.DataFrame

    @property
    def shape(self) -> str:
        """How most ids are written."""
        return shape_of_ids(self.ids)

    @property
    def passes(self) -> bool:
        """Whether the table can take part."""
        return not any(fault.refused for fault in self.faults)

    def accepted(self) -> Encoded:
        """Return the rows as a matrix, or refuse the table for all that is wrong at once."""
        refuse(self.faults)
        assert self.encoded is not None, "a table without faults can be encoded"
        return self.encoded


def kinds_of(schema: Schema, *texts: str) -> Kinds:
    """Say which columns hold numbers and which texts; `texts` are more of these."""
    numbers = {name for name, c in schema.columns.items() if isinstance(c, Numeric)}
    return Kinds(frozenset(numbers), frozenset({*schema.columns, *texts} - numbers))


def check_table(study: Study, name: str, source: Source) -> CheckedTable:
    """Read a party's table and find everything that is wrong with it.

    Nothing is refused here but a name that is no party's, and what cannot be read at all.

    Parameters
    ----------
    study : Study
    name : str
        The party.
    source : Source
    """
    study.check_party(name)
    schema = study.schema_of(Place.of(name).column)
    found = read_source(source, kinds_of(schema, source.id_column))
    return check_found(study, name, found, source.id_column)


def check_found(study: Study, name: str, found: Found, id_column: str) -> CheckedTable:
    """Find everything that is wrong with a party's table that was read already.

    Parameters
    ----------
    study : Study
    name : str
        The party.
    found : Found
        Whose table this takes apart.
    id_column : str
    """
    column = Place.of(name).column
    table, faults = found.table, list(found.faults)
    faults += id_column_faults(id_column, table)
    ids = table.pop(id_column) if id_column in table else pd.Series(range(len(table)))
    ids = ids.astype("string")
    target = study.method.target_of(column)
    classes = None
    if target is not None and target in table:
        classes = as_classes(table.pop(target))
    if target is not None:
        faults += _target_faults(target, classes, study.method)
    terms = study.ids
    normalised = normalise_ids(
        ids, strip=terms.strip, fold_case=terms.fold_case, drop_zeros=terms.drop_zeros
    )
    meet = "row" in study.keys_of(name)
    most_rows = study.method.most_rows_of_an_id
    faults += id_faults(ids, normalised, terms, meet=meet, most_rows=most_rows)
    chosen = np.arange(len(table))
    if meet:
        chosen = np.flatnonzero(((normalised != "") & ~normalised.duplicated()).to_numpy())
    # Of a table that is refused, all rows are looked at: some may get better ids.
    left_out = len(chosen) < len(table) and not any(fault.refused for fault in faults)
    part = table.iloc[chosen] if left_out else table
    encoded, more = study.schema_of(column).examine(part)
    faults += more
    encoded = None if any(fault.refused for fault in faults) else encoded
    return CheckedTable(found.told, faults, ids, normalised, chosen, encoded, classes, table)


def _target_faults(name: str, found: npt.NDArray[np.object_] | None, method: Method) -> list[Fault]:
    """Name rows whose class is none of the study; a table without the column is told of."""
    classes, table = method.target_classes, method.target_table
    if found is None:
        what = f"the table has no column {name!r}, which holds the classes ({table}.target)"
        return [Fault(what, 0, "It is needed to contribute.", refused=False)]
    present = pd.Series([text for text in found if text is not None], dtype="string")
    unknown = present[~present.isin(list(classes))]
    faults = []
    if len(unknown):
        what = f"{counted(len(unknown), 'row')} with a class that is not among the "
        what += f"{len(classes)} classes of the study: {explain_categories(classes, unknown)}"
        way = "Correct the labels, or add the class to the study."
        term = f"{table}.classes = [..., and yours]"
        faults.append(Fault(what, len(unknown), way, name, terms=term))
    return [*faults, *unlabelled_faults(name, len(found) - len(present))]


def unlabelled_faults(name: str, n: int) -> list[Fault]:
    """Tell of rows without a class."""
    if not n:
        return []
    return [Fault(f"{counted(n, 'row')} without a class", n, "", name, refused=False)]


def as_classes(column: pd.Series) -> npt.NDArray[np.object_]:
    """Write classes as texts, None where a cell is empty."""
    # An empty cell turns whole numbers into 1.0 and 2.0, which are not the classes "1" and "2".
    column = column.convert_dtypes()
    # A CSV reader that takes "None" for a class takes an empty cell for an empty text.
    missing = (column.isna() | (column.astype("string") == "")).to_numpy(dtype=bool)
    texts: npt.NDArray[np.object_] = np.full(len(column), None, dtype=object)
    texts[~missing] = [str(value) for value in column[~missing]]
    return texts
