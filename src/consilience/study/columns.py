"""What a column of a table may be: a number, a day, one of several names; all of it public."""

from __future__ import annotations

import math
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from consilience.study.method import Terms

__all__ = ["REACH", "Categorical", "Column", "Date", "Numeric", "Ordinal"]

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
