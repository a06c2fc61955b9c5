"""What may be wrong with the ids of a table, and what they look like, without showing one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import pandas as pd

from consilience.sources.faults import Fault
from consilience.study.grid import Ids
from consilience.study.pseudonyms import has_space

__all__ = [
    "Writing",
    "count_faults",
    "id_column_faults",
    "id_faults",
    "shape_of_ids",
    "tell_shape",
    "tell_unmatched",
]

ALIKE = 0.8
"""So nearly equal are counts of rows that may well be the same ones."""

_UNSEEN = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\ufeff\ufffd]")
_DIGIT_FIRST = re.compile(r"\|[0-9]")
_WHOLE = re.compile(r"\s*\d+\s*")
_ROUNDED = re.compile(r"\d+\.0+|\d(\.\d+)?[eE]\+?\d+")
_DROP_ZEROS = "ids.drop_zeros = true"
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SIGNS = {"-": "dash", "_": "underscore", ".": "point", "/": "slash", " ": "space", ":": "colon"}


def shape_of_ids(ids: pd.Series) -> str:
    """Say how most ids are written: letters, digits and signs, never an id.

    Examples
    --------
    >>> shape_of_ids(pd.Series(["AB-0007", "AC-0012", "AC-0013", "x1"]))
    'two letters, dash, four digits (75 % of the ids)'
    """
    texts = ids.astype("string").str.strip()
    shapes = texts[texts.fillna("") != ""].map(_shape).value_counts()
    if shapes.empty:
        return "there are none"
    share = float(shapes.iloc[0] / shapes.sum())
    of = "all of the ids" if share == 1 else f"{share:.0%} of the ids".replace("%", " %")
    return f"{shapes.index[0]} ({of})"


def _shape(text: str) -> str:
    def kind(letter: str) -> str:
        if letter.isdecimal():
            return "digit"
        return "letter" if letter.isalpha() else _SIGNS.get(letter, "sign")

    parts = []
    for what, run in groupby(text, kind):
        n = len(list(run))
        several = f"{_NUMBERS[n] if n < len(_NUMBERS) else n} {what}{'s' if n > 1 else ''}"
        parts.append(several if what in ("digit", "letter") or n > 1 else what)
    return ", ".join(parts)


def tell_unmatched(counts: Sequence[int]) -> str:
    """Say that ids may be written differently, where as many stay unmatched at each party.

    Parameters
    ----------
    counts : sequence of int
        Rows of each party that some other does not have.

    Examples
    --------
    >>> tell_unmatched([60, 60])[:37]
    'As many stay unmatched at each party:'
    >>> tell_unmatched([0, 60])
    ''
    """
    if len(counts) < 2 or min(counts) < ALIKE * max(counts) or not max(counts):
        return ""
    return (
        "As many stay unmatched at each party: their ids may be written differently. Let each run "
        "consilience check and compare the shape of its ids, which shows none."
    )


def tell_shape(ids: pd.Series, n_unmatched: int) -> str:
    """Say how the ids of this table are written, where some met no other.

    Examples
    --------
    >>> tell_shape(pd.Series(["AB-0007"]), 1)
    "Your ids are written as two letters, dash, four digits (all of the ids): others' must be, too."
    """
    if not n_unmatched:
        return ""
    return f"Your ids are written as {shape_of_ids(ids)}: others' must be, too."


def id_column_faults(id_column: str, table: pd.DataFrame) -> list[Fault]:
    """Name a table without its id column; its other names may be cells, and are not shown."""
    if id_column in table:
        return []
    what = f"the table has no column {id_column!r} among its {len(table.columns)}"
    return [Fault(what, 0, "Name the column of the row ids with --id.")]


def id_faults(
    ids: pd.Series, normalised: pd.Series, terms: Ids, *, meet: bool, most_rows: int | None
) -> list[Fault]:
    """Name ids that are empty, repeated, or not written as they were meant.

    Parameters
    ----------
    ids : Series of str
        As the table has them.
    normalised : Series of str
        As the study brings them into one form.
    terms : Ids
    meet : bool
        Whether rows of several tables meet by their ids.
    most_rows : int, optional
        How many rows of one person the study allows, if it promises something about persons.

    Examples
    --------
    >>> ids = pd.Series(["a", "", "b", "a"])
    >>> [fault.rows for fault in id_faults(ids, ids, Ids(), meet=True, most_rows=None)]
    [1, 1]
    """
    faults = [] if most_rows is None else _person_faults(normalised, most_rows)
    if not meet:
        return faults
    blank = normalised == ""
    repeated = int((normalised.duplicated() & ~blank).sum())
    writing = Writing.of(ids.astype("string").fillna("").tolist())
    return [*faults, *writing.faults(terms), *count_faults(int(blank.sum()), repeated, terms)]


def count_faults(empty: int, repeated: int, terms: Ids) -> list[Fault]:
    """Name rows whose ids are empty, or those of earlier rows."""
    faults = []
    if empty:
        refused = terms.empty == "refuse"
        what = f"{empty} rows have an empty id" + ("" if refused else ", and are left out")
        way = "Give them ids, or agree on empty = 'drop'." if refused else ""
        faults.append(Fault(what, empty, way, "", refused, 'ids.empty = "drop"' * refused))
    if repeated:
        refused = terms.duplicates == "refuse"
        what = f"{repeated} rows repeat the id of an earlier row"
        what += " (after normalising as the study says)" if refused else ", and are left out"
        way = "Remove them, or agree on duplicates = 'first'." if refused else ""
        term = 'ids.duplicates = "first"' * refused
        faults.append(Fault(what, repeated, way, "", refused, term))
    return faults


def _person_faults(normalised: pd.Series, most_rows: int) -> list[Fault]:
    found = int(normalised.value_counts().max()) if len(normalised) else 0
    if found <= most_rows:
        return []
    what = f"an id, or an empty one, stands in {found} rows, and the study says at most "
    what += f"{most_rows} rows of a person (summaries.rows_per_person): its promise would not hold"
    way = "Keep fewer rows, or agree on a larger number."
    return [Fault(what, found, way, terms=f"summaries.rows_per_person = {found}")]


@dataclass(frozen=True)
class Writing:
    """How ids are written that may not be those another table has; parts of a table add up.

    Parameters
    ----------
    spaced, rounded, unseen : int
        Ids with spaces around, as numbers with a point or an exponent, with signs not seen.
    lengths : Counter
        How many whole numbers have so many digits.
    zeros : bool
        Whether one of these begins with a zero.

    Examples
    --------
    >>> sum((Writing.of(["7", "8"]), Writing.of(["12", " 13"])), Writing()).lengths
    Counter({1: 2, 2: 2})
    """

    spaced: int = 0
    rounded: int = 0
    unseen: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    zeros: bool = False

    @classmethod
    def of(cls, texts: Sequence[str]) -> Writing:
        """Look at ids; most tables have none of this, and one look at all together tells so."""
        together = "|" + "|".join(texts)
        spaced = sum(t != t.strip() for t in texts) if has_space(together) else 0
        plain = together.isascii() and together.isprintable()
        unseen = 0 if plain else sum(map(bool, map(_UNSEEN.search, texts)))
        if plain and not spaced and not _DIGIT_FIRST.search(together):
            return cls()
        numbers = [t.strip() for t in texts if _WHOLE.fullmatch(t)]
        return cls(
            spaced,
            sum(map(bool, map(_ROUNDED.fullmatch, texts))),
            unseen,
            Counter(map(len, numbers)),
            any(number.startswith("0") for number in numbers),
        )

    def __add__(self, other: Writing) -> Writing:
        return Writing(
            self.spaced + other.spaced,
            self.rounded + other.rounded,
            self.unseen + other.unseen,
            self.lengths + other.lengths,
            self.zeros or other.zeros,
        )

    def faults(self, terms: Ids) -> list[Fault]:
        """Tell of it."""
        found = []

        def tell(what: str, n: int, way: str, term: str = "") -> None:
            if n:
                found.append(Fault(f"{n} ids {what}", n, way, refused=False, terms=term))

        if not terms.strip:
            tell("have spaces before or behind", self.spaced, "Others may not.", "ids.strip = true")
        else:
            tell("have spaces before or behind, which the study takes off", self.spaced, "")
        if len(self.lengths) > 1 and not terms.drop_zeros and not self.zeros:
            short = self.lengths.total() - self.lengths[max(self.lengths)]
            way = "If another table writes them with leading zeros, a spreadsheet has taken them "
            tell("are numbers with fewer digits than others", short, f"{way}off.", _DROP_ZEROS)
        way = "A spreadsheet made numbers of them: they may have lost digits. Export ids as text."
        tell("are written as numbers with a point or an exponent", self.rounded, way)
        tell("have signs that cannot be seen", self.unseen, "Write them anew.")
        return found
