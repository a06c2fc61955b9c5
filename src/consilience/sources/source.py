"""Where a party's table is, and how it is written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from consilience.sources.dialect import Dialect

__all__ = ["Kinds", "Source"]


@dataclass(frozen=True)
class Source:
    """Where a party's table is.

    Parameters
    ----------
    data : Path or str
        A file: ``*.parquet``, ``*.xlsx``, or anything else as text (a ``.gz`` is unpacked). Or the
        address of a database, such as ``postgresql://host/name``, without credentials.
    id_column : str
        The column of the row ids.
    dialect : Dialect
        What is known of the writing of a text file.
    ignore : tuple of str
        Columns that take no part.
    query : Path, optional
        A file with the query that gives the table, of a database.
    sheet : str, optional
        The sheet of an Excel file, if it is not the first.
    credentials : Path, optional
        A private file with user and password of a database; else the environment has them.
    in_memory : bool, default=False
        Hold the table in memory, however large, and write no part of it to disk.

    Examples
    --------
    >>> Source("sqlite:///ward.db", "id").file is None
    True
    """

    data: Path | str
    id_column: str
    dialect: Dialect = field(default_factory=Dialect)
    ignore: tuple[str, ...] = ()
    query: Path | None = None
    sheet: str | None = None
    credentials: Path | None = None
    in_memory: bool = False

    @property
    def file(self) -> Path | None:
        """The file, if it is one."""
        return None if isinstance(self.data, str) else self.data

    @property
    def name(self) -> str:
        """What to call it in a message: the name of the file, or of the query."""
        if self.file is not None:
            return self.file.name
        return "the database" if self.query is None else self.query.name

    @property
    def noted(self) -> dict[str, str]:
        """What the ledger notes of it: the SHA-256 of the query, if there is one."""
        if self.query is None:
            return {}
        return {"query": hashlib.sha256(self.query.read_bytes()).hexdigest()}


@dataclass(frozen=True)
class Kinds:
    """What is known of the columns of a table before it is read.

    Parameters
    ----------
    numbers : frozenset of str
        Columns that hold numbers.
    texts : frozenset of str
        Columns whose cells stay as they are written, such as ids and categories; None for all
        that are no numbers.
    """

    numbers: frozenset[str] = frozenset()
    texts: frozenset[str] | None = None
