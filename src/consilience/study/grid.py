"""Who takes part in a study, and how rows of different parties meet."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from consilience.study.method import Terms

__all__ = ["Grid", "Ids", "Name"]

MAX_IDS = 1_000_000


def _plain(name: str) -> str:
    """Return a name that may stand in the name of a file on every system."""
    if re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,62}", name):
        return name
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub("[^a-z0-9]+", "-", letters).strip("-")[:63]
    raise ValueError(
        f"{name!r} must be at most 63 small letters a to z, digits, '-' and '_', "
        f"such as {plain or 'north'!r}"
    )


Name = Annotated[str, AfterValidator(_plain)]


class Grid(Terms):
    """Who takes part: party ``row/column`` holds these columns of these rows.

    Parameters
    ----------
    rows, columns : tuple of str
        Row institutions and column groups; small letters, digits, ``-`` and ``_``.
    absent : tuple of str
        Places of the grid that nobody holds.
    missing_party : {"refuse", "go on"}
        Whether the analyst may solve without a party that was expected.
    """

    rows: tuple[Name, ...] = Field(min_length=1)
    columns: tuple[Name, ...] = Field(min_length=1)
    absent: tuple[str, ...] = ()
    missing_party: Literal["refuse", "go on"] = "refuse"

    @property
    def parties(self) -> list[str]:
        """All parties that take part."""
        names = [f"{row}/{column}" for row in self.rows for column in self.columns]
        return [name for name in names if name not in self.absent]

    @model_validator(mode="after")
    def _consistent(self) -> Grid:
        for field in ("rows", "columns"):
            names = getattr(self, field)
            if len(set(names)) < len(names):
                raise ValueError(f"{field} == {list(names)}, must not repeat")
        places = {f"{row}/{column}" for row in self.rows for column in self.columns}
        unknown = sorted(set(self.absent) - places)
        if unknown:
            raise ValueError(f"absent names {unknown}, which are no places of the grid")
        if not self.parties:
            raise ValueError("absent names every place of the grid")
        return self


class Ids(Terms):
    """How rows of different parties meet.

    Parameters
    ----------
    strip, fold_case : bool
        Whether ids that differ only in spaces or in case are the same.
    drop_zeros : bool, optional
        Whether ids of digits that differ only in leading zeros are the same.
    duplicates : {"refuse", "first"}
        What a party does with rows that repeat an id.
    empty : {"refuse", "drop"}
        What a party does with rows without id.
    unmatched : {"drop", "keep", "refuse"}
        What the analyst does with rows that some column group did not send. ``keep`` fills the
        missing coordinates from the rows that are complete.
    match : {"key", "psi"}, optional
        How the holders of the same rows name them alike: by a row key they share, which is also
        what nothing means, or by blinding each other's ids, see :mod:`consilience.psi`.
    max_ids : int, optional
        With ``"psi"``, how many ids a holder may have; nothing means a million.
    """

    strip: bool = True
    fold_case: bool = True
    drop_zeros: bool | None = None
    duplicates: Literal["refuse", "first"] = "refuse"
    empty: Literal["refuse", "drop"] = "refuse"
    unmatched: Literal["drop", "keep", "refuse"] = "drop"
    match: Literal["key", "psi"] | None = None
    max_ids: int | None = Field(default=None, ge=1, strict=True)

    @model_validator(mode="after")
    def _consistent(self) -> Ids:
        if self.max_ids is not None and self.match != "psi":
            raise ValueError(
                f'max_ids == {self.max_ids} limits guesses where match = "psi"; with a shared row '
                f"key whoever holds it guesses at home. Leave it out, or match by psi"
            )
        return self

    @property
    def most(self) -> int:
        """How many ids a holder may have where rows are matched by psi."""
        return MAX_IDS if self.max_ids is None else self.max_ids
