"""The options that say where a table is and how it is written, alike for every verb that reads one.

A verb asks for a ``source``; :func:`reads_table` puts the options in its place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.exceptions import StudyError
from consilience.sources.database import check_address
from consilience.sources.dialect import SEPARATORS, Dialect
from consilience.sources.source import Source

__all__ = [
    "Credentials",
    "Decimal",
    "Encoding",
    "IdColumn",
    "Ignore",
    "Separator",
    "as_dialect",
    "as_place",
    "reads_table",
]

Data = Annotated[
    str,
    typer.Option(
        metavar="TABLE",
        help="Your table: CSV, Parquet or Excel, or a database such as postgresql://host/name.",
    ),
]
IdColumn = Annotated[str, typer.Option("--id", help="The column that holds the row ids.")]
Query = Annotated[
    Path | None,
    typer.Option(
        exists=True, dir_okay=False, help="With a database: a file with the query to read."
    ),
]
Credentials = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        dir_okay=False,
        help="With a database: a private file with the lines user and password; else "
        "CONSILIENCE_DB_USER and CONSILIENCE_DB_PASSWORD of the environment.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="A column of the table that takes no part; repeatable."),
]
Sheet = Annotated[str | None, typer.Option(help="Of an Excel file: the sheet, if not the first.")]
Separator = Annotated[
    str | None,
    typer.Option(help="Of a text file: comma, semicolon, tab, bar, or the sign; else found out."),
]
Decimal = Annotated[
    str | None, typer.Option(help="Of a text file: point or comma; else found out.")
]
Encoding = Annotated[
    str | None, typer.Option(help="Of a text file, such as cp1252; else found out.")
]

InMemory = Annotated[
    bool,
    typer.Option(
        "--in-memory",
        help="Hold the table in memory, however large. Else one of a database, or of a file from "
        "32 MiB on, is read in parts, and rows lie meanwhile in files without a name.",
    ),
]

OPTIONS: dict[str, tuple[Any, Any]] = {
    "data": (Data, inspect.Parameter.empty),
    "id_column": (IdColumn, "id"),
    "ignore": (Ignore, None),
    "query": (Query, None),
    "credentials": (Credentials, None),
    "sheet": (Sheet, None),
    "separator": (Separator, None),
    "decimal": (Decimal, None),
    "encoding": (Encoding, None),
    "in_memory": (InMemory, False),
}
"""Each option, its type and its default."""


def reads_table(verb: Callable[..., None], folders: bool = False) -> Callable[..., None]:
    """Put the options of a table in place of a verb's parameter ``source``.

    Where the parameter has a default, a table need not be named; with ``folders``, it may be a
    folder of tables.
    """
    signature = inspect.signature(verb, eval_str=True)
    optional = signature.parameters["source"].default is not inspect.Parameter.empty
    parameters = []
    for parameter in signature.parameters.values():
        if parameter.name != "source":
            parameters.append(parameter)
            continue
        options = OPTIONS | ({"data": (Data | None, None)} if optional else {})
        parameters += [
            inspect.Parameter(name, parameter.kind, default=default, annotation=kind)
            for name, (kind, default) in options.items()
        ]

    @wraps(verb)
    def with_options(**given: Any) -> None:
        said = {name: given.pop(name) for name in OPTIONS}
        verb(**given, source=None if said["data"] is None else _source(folders, **said))

    ordered = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    with_options.__signature__ = signature.replace(parameters=ordered)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options


def as_place(data: str, option: str = "--data", folders: bool = False) -> Path | str:
    """Return the file of this name, or folder where one may be; an address stays as it is."""
    if "://" in data:
        check_address(data)
        return data
    path = Path(data)
    if not path.is_file() and not (folders and path.is_dir()):
        raise StudyError(f"there is no file {data}: name your table with {option}.")
    return path


def _source(
    folders: bool,
    data: str,
    id_column: str,
    ignore: list[str] | None,
    query: Path | None,
    credentials: Path | None,
    sheet: str | None,
    separator: str | None,
    decimal: str | None,
    encoding: str | None,
    in_memory: bool,
) -> Source:
    place = as_place(data, folders=folders)
    if isinstance(place, str) != (query is not None):
        raise StudyError(
            "a database needs --query, a file with the query whose result is the table."
            if query is None
            else f"--query is {query}, and --data is a file: a query is for a database."
        )
    dialect = as_dialect(separator, decimal, encoding)
    leave_out = tuple(ignore or ())
    return Source(place, id_column, dialect, leave_out, query, sheet, credentials, in_memory)


def as_dialect(separator: str | None, decimal: str | None, encoding: str | None) -> Dialect:
    """Return the writing of a text file as far as it was said."""
    signs = {word: sign for sign, word in SEPARATORS.items()}
    points = {"point": ".", "comma": ","}
    dialect = Dialect(
        None if separator is None else signs.get(separator, separator),
        None if decimal is None else points.get(decimal, decimal),
        encoding,
    )
    if separator is not None and len(str(dialect.separator)) != 1:
        raise StudyError(f"--separator is {separator!r}, must be one of {', '.join(signs)}.")
    if dialect.decimal not in (None, ".", ","):
        raise StudyError(f"--decimal is {decimal!r}, must be point or comma.")
    return dialect
