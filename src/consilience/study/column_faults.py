"""What may be wrong with a column, as faults: in counts, with the term that would let it pass."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.sources.faults import Fault, counted
from consilience.study.bounds import outward
from consilience.study.values import Read, explain_categories, explain_numbers

__all__ = [
    "Beyond",
    "alike_names",
    "category_faults",
    "missing_faults",
    "name_faults",
    "number_faults",
    "outside_faults",
]

Mask = npt.NDArray[np.bool_]


def name_faults(wanted: Collection[str], found: Collection[str]) -> list[Fault]:
    """Compare the columns of a table with those of the study.

    Names of a table that has none of the study's are not shown: without a header line they would
    be the cells of its first row.

    Examples
    --------
    >>> [fault.what for fault in name_faults(["age", "ward"], ["age", "Ward ", "note"])]
    ["the table has no column 'ward', but 'Ward '", "the table also has 'note'"]
    """
    wanted, names = list(wanted), [str(name) for name in found]
    missing = [name for name in wanted if name not in names]
    extra = [name for name in names if name not in wanted]
    way = f"Rename or drop columns until it has exactly {wanted}"
    if len(missing) == len(wanted):
        return [
            Fault(
                f"the table has none of the columns of the study: it lacks {missing}",
                0,
                f"{way}; its first line must hold their names. If cells run together, name the "
                f"separator with --separator.",
            )
        ]
    faults, alike = [], alike_names(wanted, names)
    extra = [name for name in extra if name not in alike.values()]
    for name in missing:
        but = f", but {alike[name]!r}" if name in alike else ""
        faults.append(Fault(f"the table has no column {name!r}{but}", 0, f"{way}."))
    for name in dict.fromkeys(extra):
        stem, _, number = name.rpartition(".")
        # Of two columns of one name, readers call the second name.1.
        again = number.isdigit() and stem in wanted
        what = f"the table has {stem!r} twice" if again else f"the table also has {name!r}"
        faults.append(Fault(what, 0, f"{way}; or leave it out with --ignore {name!r}."))
    doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    faults += [Fault(f"the table has {name!r} twice", 0, f"{way}.") for name in doubled]
    return faults


def alike_names(wanted: Collection[str], found: Collection[str]) -> dict[str, str]:
    """Find columns that are called as those wanted but for spaces and case.

    Examples
    --------
    >>> alike_names(["age", "ward"], ["age", "Ward "])
    {'ward': 'Ward '}
    """
    others = {_bare(name): str(name) for name in found if name not in wanted}
    missing = [name for name in wanted if name not in found]
    return {name: others[_bare(name)] for name in missing if _bare(name) in others}


def _bare(name: str) -> str:
    return "".join(str(name).split()).casefold()


def number_faults(name: str, values: pd.Series, read: Read, meant: str) -> list[Fault]:
    """Name cells that are no numbers, or no days."""
    n = int(read.wrong.sum())
    if not n:
        return []
    why = explain_numbers(values[read.wrong])
    what = f"{counted(n, 'value')} that cannot be read as {meant}: {why}"
    way = "Correct them" + (
        ", or say how it is written with --decimal" if "decimal comma" in why else ""
    )
    return [Fault(what, n, f"{way}.", name)]


@dataclass(frozen=True)
class Beyond:
    """How many numbers lie beyond their bounds, and how far; parts of a column add up.

    Examples
    --------
    >>> Beyond.of(np.array([-1.0, 4.0]), (0, 9)) + Beyond.of(np.array([11.0, np.nan]), (0, 9))
    Beyond(below=1, above=1, least=-1.0, greatest=11.0)
    """

    below: int = 0
    above: int = 0
    least: float = math.inf
    greatest: float = -math.inf

    @classmethod
    def of(cls, numbers: npt.NDArray[np.float64], bounds: tuple[float, float]) -> Beyond:
        """Count; what is no number lies nowhere."""
        lower, upper = bounds
        if numbers.size and lower <= numbers.min() and numbers.max() <= upper:
            return cls()  # as most columns, and none of them is missing
        with np.errstate(invalid="ignore"):
            below, above = int((numbers < lower).sum()), int((numbers > upper).sum())
        least = float(np.nanmin(numbers)) if below else math.inf
        return cls(below, above, least, float(np.nanmax(numbers)) if above else -math.inf)

    def __add__(self, other: Beyond) -> Beyond:
        return Beyond(
            self.below + other.below,
            self.above + other.above,
            min(self.least, other.least),
            max(self.greatest, other.greatest),
        )


def outside_faults(
    name: str,
    beyond: Beyond,
    bounds: tuple[float, float],
    rule: Literal["refuse", "clip"],
    since: date | None = None,
) -> list[Fault]:
    """Name numbers beyond the bounds, and bounds that would hold them.

    Days are numbers since a day, which is then given, and are told of as days.

    Examples
    --------
    >>> beyond = Beyond.of(np.array([-1.0, 4.0]), (0, 9))
    >>> [f.terms for f in outside_faults("seen", beyond, (0, 9), "refuse", date(2023, 1, 1))]
    ['first = "2022-01-01", last = "2023-12-31", or outside = "clip"']
    """
    lower, upper = bounds
    n = beyond.below + beyond.above
    if not n:
        return []
    shown = (
        f"{lower:g}, {upper:g}" if since is None else f"{_day(since, lower)}, {_day(since, upper)}"
    )
    what = f"{counted(n, 'value')} outside the study's bounds [{shown}], "
    what += f"{beyond.below} below and {beyond.above} above"
    if rule == "clip":
        return [Fault(f"{what}, set to the nearest bound", n, "", name, refused=False)]
    # Wider than the outermost value, so that no bound is one.
    margin = 1e-6 * (upper - lower)
    low = lower if not beyond.below else beyond.least - margin
    high = upper if not beyond.above else beyond.greatest + margin
    way = "Correct them, or agree on wider bounds or on outside = 'clip'."
    return [Fault(what, n, way, name, terms=f'{_wider(low, high, since)}, or outside = "clip"')]


def _wider(low: float, high: float, since: date | None) -> str:
    """Return round bounds that hold two numbers, as terms of a study."""
    if since is None:
        low, high = outward(low, high)
        return f"bounds = [{low:g}, {high:g}]"
    years = _day(since, low).year, _day(since, high).year
    return f'first = "{years[0]}-01-01", last = "{years[1]}-12-31"'


def _day(since: date, days: float) -> date:
    return since + timedelta(days=math.floor(days))


def category_faults(
    name: str, values: pd.Series, wrong: Mask, categories: tuple[str, ...]
) -> list[Fault]:
    """Name cells that are none of the categories."""
    n = int(wrong.sum())
    if not n:
        return []
    what = f"{counted(n, 'value')} outside the declared categories {list(categories)}: "
    what += explain_categories(categories, values[wrong])
    way = "Correct them, or agree on more categories."
    return [Fault(what, n, way, name, terms="categories = [..., and yours]")]


def missing_faults(
    name: str, n: int, rule: Literal["refuse", "fill", "drop"], filled: str
) -> list[Fault]:
    """Name n missing cells, and what becomes of them."""
    if not n:
        return []
    what = counted(n, "missing value")
    if rule == "fill":
        return [Fault(f"{what}, filled as {filled}", n, "", name, refused=False)]
    if rule == "drop":
        return [Fault(f"{what}, their rows left out", n, "", name, refused=False)]
    return [
        Fault(
            f"{what} and the study's rule is 'refuse'",
            n,
            "Fill them, or agree on missing = 'fill' or 'drop'.",
            name,
            terms=f'missing = "fill" (as {filled}), or "drop"',
        )
    ]
