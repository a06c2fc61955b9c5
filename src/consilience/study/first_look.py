"""A first look at a table that no study describes yet: what each column seems to be."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from consilience.sources.faults import Fault
from consilience.sources.reading import read_source
from consilience.sources.source import Kinds, Source
from consilience.study.examples import type_columns
from consilience.study.grid import Ids
from consilience.study.id_faults import id_column_faults, id_faults, shape_of_ids
from consilience.study.pseudonyms import normalise_ids
from consilience.study.values import (
    explain_numbers,
    look_like_numbers,
    read_days,
    read_numbers,
)

__all__ = ["MAX_CATEGORIES", "MAX_CODES", "FirstLook", "Seen", "look_at", "questions_about"]

MAX_CATEGORIES = 30
"""More different texts than that are hardly a category."""
MAX_CODES = 10
"""So few different whole numbers may be codes for something."""


@dataclass(frozen=True)
class Seen:
    """What a column seems to be.

    Parameters
    ----------
    name : str
    kind : str
        ``numeric``, ``date``, ``categorical``, ``text`` or ``empty``.
    missing, distinct : int
        Missing cells, and how many different ones there are among the others.
    doubt : str
        What a person should look at; empty if nothing.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    doubt: str


@dataclass(frozen=True, eq=False)
class FirstLook:
    """A table without a study."""

    told: str
    n_rows: int
    shape: str
    columns: list[Seen]
    faults: list[Fault]


def look_at(source: Source) -> FirstLook:
    """Read a table and say what its columns seem to be, in counts, without a value of it.

    Names of columns are shown, unless the first line looks like cells.
    """
    found = read_source(source, Kinds())
    faults = [*found.faults, *id_column_faults(source.id_column, found.table)]
    table = type_columns(found, {source.id_column})
    if _is_data([str(name) for name in found.table.columns]):
        what = "the first line looks like cells and not like the names of columns"
        faults.append(Fault(what, 0, "Put a line with a name for each column before it."))
        table.columns = pd.Index([f"column {k + 1}" for k in range(len(table.columns))])
    shape = ""
    if source.id_column in table:
        ids = table.pop(source.id_column)
        shape = shape_of_ids(ids)
        terms = Ids()
        same = normalise_ids(ids, strip=terms.strip, fold_case=terms.fold_case)
        faults += id_faults(ids, same, terms, meet=True, most_rows=None)
    if table.empty:
        faults.append(Fault("the table has no rows", 0))
    columns = [see_column(str(name), table[name]) for name in table.columns]
    return FirstLook(found.told, len(table), shape, columns, faults)


def see_column(name: str, values: pd.Series) -> Seen:
    """Say what a column seems to be, after its cells were given their types.

    Examples
    --------
    >>> see_column("sex", pd.Series([1.0, 2.0, None])).doubt
    'numeric, with 2 different whole numbers: if these are codes, make it categorical'
    """
    if pd.api.types.is_string_dtype(values):
        values = values.str.strip()
    missing, distinct = int(values.isna().sum()), int(values.nunique())
    kind, doubt = _kind(values, distinct)
    if missing and not doubt:
        doubt = f"missing values need a rule: {missing / len(values):.0%}"
    return Seen(name, kind, missing, distinct, doubt)


def questions_about(
    tables: Mapping[str, pd.DataFrame], drafted: Mapping[str, Collection[str]]
) -> list[str]:
    """Ask about drafted columns of example tables that may be something else."""
    asked = []
    for group, table in tables.items():
        seen = [see_column(str(name), table[name]) for name in table if name in drafted[group]]
        asked += [
            f"{group}: is {column.name!r} a number, or a code? It has {column.distinct} different "
            f'whole numbers; a code is kind = "categorical" with categories = [...].'
            for column in seen
            if "codes" in column.doubt
        ]
        gaps = {column.name: column.missing for column in seen if column.missing}
        if gaps:
            worst = max(gaps, key=gaps.__getitem__)
            asked.append(
                f"{group}: {len(gaps)} column{'s lack' if len(gaps) > 1 else ' lacks'} values, "
                f"{worst!r} most ({gaps[worst] / len(table):.0%}); the draft fills them (missing = "
                f'"fill"). "drop" would leave such rows out.'
            )
    return asked


def _kind(values: pd.Series, distinct: int) -> tuple[str, str]:
    if not distinct:
        return "empty", "nothing is in it: leave it out with --ignore"
    if pd.api.types.is_datetime64_any_dtype(values):
        return "date", ""
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return "numeric", _number_doubt(values.dropna(), distinct)
    present = values.dropna().astype("string")
    numbers, days = read_numbers(present), read_days(present, pd.Timestamp(0).date())
    n, wrong = len(present), int(numbers.wrong.sum())
    if 2 * wrong < n:
        why = explain_numbers(present[numbers.wrong])
        return "numeric", f"{wrong} of {n} values are no numbers: {why}"
    if 2 * int(days.wrong.sum()) < n:
        return "date", f"{int(days.wrong.sum())} of {n} values are no days"
    if distinct > MAX_CATEGORIES and look_like_numbers(present):
        return "numeric", f"{wrong} of {n} values are no numbers: {explain_numbers(present)}"
    if distinct > MAX_CATEGORIES:
        return "text", f"{distinct} different texts are no categories: leave it out with --ignore"
    return "categorical", "one category alone" if distinct == 1 else ""


def _number_doubt(values: pd.Series, distinct: int) -> str:
    if distinct == 1:
        return "one number alone"
    whole = bool((values == values.round()).all())
    if whole and distinct <= MAX_CODES:
        return (
            f"numeric, with {distinct} different whole numbers: if these are codes, make it "
            f"categorical"
        )
    return ""


def _is_data(names: list[str]) -> bool:
    """Tell whether names are rather cells: a number, a day, or nothing."""
    texts = pd.Series(names, dtype="string")
    numbers, days = read_numbers(texts), read_days(texts, pd.Timestamp(0).date())
    cells = ~numbers.wrong | ~days.wrong | texts.str.startswith("Unnamed: ").to_numpy(dtype=bool)
    return 2 * int(cells.sum()) >= len(names)
