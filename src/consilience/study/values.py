"""Cells as numbers, days and places among categories; and why some are none, in counts."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.sources.delimited import NOT_A_NUMBER

__all__ = [
    "Read",
    "category_codes",
    "explain_categories",
    "explain_numbers",
    "is_missing",
    "look_like_numbers",
    "read_days",
    "read_numbers",
]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Read:
    """The cells of a column as numbers.

    Parameters
    ----------
    numbers : ndarray of shape (n,)
        NaN where a cell is missing or wrong.
    missing, wrong : ndarray of shape (n,), bool
        Where there is no cell; where it is something else than it should be.
    """

    numbers: Array
    missing: Mask
    wrong: Mask


def read_numbers(values: pd.Series) -> Read:
    """Read cells as finite numbers.

    Examples
    --------
    >>> read = read_numbers(pd.Series(["1.5", None, "many"]))
    >>> read.numbers.tolist(), read.wrong.tolist()
    ([1.5, nan, nan], [False, False, True])
    """
    if values.dtype == np.float64:
        found = values.to_numpy()
        missing, wrong = np.isnan(found), np.isinf(found)
        return Read(np.where(wrong, np.nan, found) if wrong.any() else found, missing, wrong)
    missing = values.isna().to_numpy(dtype=bool)
    if isinstance(values.dtype, pd.ArrowDtype) and values.dtype.kind not in "iufb":
        values = values.astype(object)  # numbers of a database that keeps all their digits
    if pd.api.types.is_datetime64_any_dtype(values):
        return Read(np.full(len(values), np.nan), missing, ~missing)
    try:
        read = pd.to_numeric(values, errors="coerce")
        numbers = read.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):  # lists, dates and the like, from Parquet
        numbers = np.full(len(values), np.nan)
    finite = np.isfinite(numbers)
    wrong = ~finite & ~missing
    # A copy only where something is to be changed: a table may have millions of rows.
    return Read(np.where(wrong, np.nan, numbers) if wrong.any() else numbers, missing, wrong)


def read_days(values: pd.Series, since: date) -> Read:
    """Read cells as days since a day, where they are written in one of the usual ways.

    Year first (2023-05-31, 2023/05/31, 20230531) or day first with points (31.05.2023), a time of
    day after it; with slashes (31/05/2023), day or month first, if the column tells which.

    Examples
    --------
    >>> read_days(pd.Series(["2023-01-03", "04.01.2023", "soon"]), date(2023, 1, 1)).numbers
    array([ 2.,  3., nan])
    """
    missing = values.isna().to_numpy(dtype=bool)
    if not pd.api.types.is_datetime64_any_dtype(values):
        texts = values.astype("string").str.strip().str.replace(r"[T ]\d.*$", "", regex=True)
        missing = missing | (texts == "").fillna(False).to_numpy(dtype=bool)
        values = pd.Series(pd.NaT, index=values.index, dtype="datetime64[ns]")
        for form in ("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d.%m.%Y", _slashes(texts)):
            if form:
                read = pd.to_datetime(texts, format=form, errors="coerce")
                values = values.fillna(read)
    days = values.dt.tz_localize(None).dt.normalize() - pd.Timestamp(since)
    numbers = days.dt.days.to_numpy(dtype=np.float64, na_value=np.nan)
    return Read(numbers, missing, np.isnan(numbers) & ~missing)


def _slashes(texts: pd.Series) -> str:
    """Tell whether days or months stand first in 03/04/2023, or nothing if both may."""
    parts = texts.str.extract(r"^(\d{1,2})/(\d{1,2})/\d{4}$").apply(pd.to_numeric)
    first, second = (parts[k].dropna() for k in (0, 1))
    if (first > 12).any() and not (second > 12).any():
        return "%d/%m/%Y"
    return "%m/%d/%Y" if (second > 12).any() and not (first > 12).any() else ""


def is_missing(values: pd.Series) -> Mask:
    """Tell where a cell is missing, or holds one of the usual signs for that.

    Examples
    --------
    >>> is_missing(pd.Series(["NA", " ", None, "north"])).tolist()
    [True, True, True, False]
    """
    texts = values.astype("string").str.strip()
    return (texts.isna() | texts.isin(NOT_A_NUMBER)).to_numpy(dtype=bool)


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


_WAYS = {
    "with a decimal comma": r"[+-]?\d*,\d+",
    "with separators of thousands": r"[+-]?\d{1,3}([,.' \u00a0]\d{3})+([.,]\d+)?",
    "with a sign such as < or >": r"[<>≤≥~=]+\s*[+-]?\d.*",
    "with a unit or a word behind": r"[+-]?[\d.,]+\s*[^\d\s.,:/-].*",
    "infinite": r"[+-]?inf(inity)?",
    "days": r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([T ].*)?",
    "a sign for a missing one": r"[-?.*#/]+|(?i:n/?a|unknown|missing|none|nd|tbd)|\s+",
}


_NUMBERS = re.compile("|".join(f"(?:{pattern})" for pattern in list(_WAYS.values())[:4]))


def look_like_numbers(values: pd.Series) -> bool:
    """Tell whether most cells are numbers that are written otherwise than as numbers.

    Examples
    --------
    >>> look_like_numbers(pd.Series(["1.200,50 EUR", "800,00 EUR", "none"]))
    True
    """
    texts = values.astype(object).map(str).str.strip()
    return bool(2 * texts.map(lambda text: bool(_NUMBERS.fullmatch(text))).sum() > len(texts))


def explain_numbers(values: pd.Series) -> str:
    """Say why cells are no numbers, by their writing and in counts.

    Examples
    --------
    >>> explain_numbers(pd.Series(["1,5", "2,25", "<3", "many"]))
    '2 with a decimal comma, 1 with a sign such as < or >, 1 otherwise'
    """
    texts = values.astype(object).map(str)
    left = np.ones(len(texts), dtype=bool)
    counts = []
    for way, pattern in _WAYS.items():
        found = texts.str.fullmatch(pattern).to_numpy(dtype=bool) & left
        left &= ~found
        if found.any():
            counts.append(f"{int(found.sum())} {way}")
    if left.any():
        counts.append(f"{int(left.sum())} otherwise")
    return ", ".join(counts)


def explain_categories(categories: tuple[str, ...], values: pd.Series) -> str:
    """Say how cells differ from the categories they are none of, in counts.

    Examples
    --------
    >>> explain_categories(("yes", "no"), pd.Series(["Yes", "NO", "perhaps"]))
    '2 but for case, accents or punctuation, 1 otherwise; 3 different ones'
    """
    texts = values.astype("string").str.strip()
    plain = {_plain(category) for category in categories}
    near = int(texts.map(lambda text: _plain(text) in plain).sum())
    whole = {f"{c}.0" for c in categories} | {c.removesuffix(".0") for c in categories}
    fraction = int(texts.isin(list(whole)).sum())
    parts = [
        f"{near} but for case, accents or punctuation" if near else "",
        f"{fraction} but for a .0 behind a number" if fraction else "",
        f"{len(texts) - near - fraction} otherwise" if near + fraction < len(texts) else "",
    ]
    return f"{', '.join(p for p in parts if p)}; {texts.nunique()} different ones"


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[\W_]+", "", "".join(c for c in letters if not unicodedata.combining(c)))
