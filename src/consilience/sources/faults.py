"""What is wrong with a table, in counts and in words that hold no value of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from consilience.exceptions import TableError

__all__ = ["Fault", "counted", "refuse"]


def counted(n: int, what: str) -> str:
    """Write how many there are of something.

    Examples
    --------
    >>> counted(1, "missing value"), counted(2_000, "row")
    ('1 missing value', '2000 rows')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


@dataclass(frozen=True)
class Fault:
    """One thing about a table that somebody should know.

    Parameters
    ----------
    what : str
        What it is, such as ``"3 values outside the study's bounds [0, 120]"``.
    rows : int
        How many rows it concerns; 0 if it concerns the table as such.
    way_out : str
        What to do about it, as sentences.
    column : str
        The column it concerns; empty for the whole table.
    refused : bool
        Whether the table cannot take part because of it; else it is merely told.
    terms : str
        The term of the study by which such a table would pass, as it stands in the file.

    Examples
    --------
    >>> print(Fault("2 missing values", 2, "Fill them.", "age"))
    column 'age' has 2 missing values. Fill them.
    """

    what: str
    rows: int
    way_out: str = ""
    column: str = ""
    refused: bool = True
    terms: str = ""

    def __str__(self) -> str:
        start = f"column {self.column!r} has " if self.column else ""
        return f"{start}{self.what}. {self.way_out}".strip()


def refuse(faults: Iterable[Fault]) -> None:
    """Refuse a table for all its faults at once, if it has any that count.

    Raises
    ------
    TableError
    """
    refused = [fault for fault in faults if fault.refused]
    if not refused:
        return
    raise TableError(" ".join(map(str, refused)))
