"""Example tables whose columns nobody has described yet."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from consilience.sources.delimited import NOT_A_NUMBER, Found
from consilience.sources.faults import refuse
from consilience.sources.reading import read_source
from consilience.sources.source import Kinds, Source
from consilience.study.id_faults import id_column_faults
from consilience.study.values import read_days

__all__ = ["read_example", "type_columns"]


def read_example(source: Source, texts: Collection[str] = ()) -> pd.DataFrame:
    """Read a table and find out which of its columns hold numbers, days or texts.

    A column is numeric if everything in it is a number or a usual sign for a missing one, and a
    column of days if everything in it is one, unless it is among `texts` or the id column.
    """
    found = read_source(source, Kinds())
    refuse([*found.faults, *id_column_faults(source.id_column, found.table)])
    return type_columns(found, {*texts, source.id_column})


def type_columns(found: Found, texts: Collection[str]) -> pd.DataFrame:
    """Give the columns of a table the types of what they hold."""
    table = found.table
    comma = found.decimal == ","
    return pd.DataFrame(
        {name: _typed(table[name], str(name) in texts, comma) for name in table.columns}
    )


def _typed(column: pd.Series, is_text: bool, comma: bool) -> pd.Series:
    dtype = column.dtype
    if not is_text and pd.api.types.is_numeric_dtype(dtype):
        return column.astype("boolean") if pd.api.types.is_bool_dtype(dtype) else column
    if not is_text and pd.api.types.is_datetime64_any_dtype(dtype):
        return column
    texts = column.astype("string")
    present = texts.mask(texts.str.strip().isin(NOT_A_NUMBER))
    if is_text or not present.notna().any():
        return texts.mask(texts.str.strip() == "")
    plain = present.str.replace(",", ".", regex=False) if comma else present
    numbers = pd.to_numeric(plain, errors="coerce")
    if (numbers.notna() == present.notna()).all():
        return numbers.astype("float64")
    days = read_days(present, pd.Timestamp(0).date())
    if not days.wrong.any():
        return pd.Timestamp(0) + pd.to_timedelta(pd.Series(days.numbers, column.index), unit="D")
    return texts.mask(texts.str.strip() == "")
