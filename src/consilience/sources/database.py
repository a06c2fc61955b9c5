"""Tables of databases: one query, run once, read in a stream and kept on disk while it is used."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlsplit

from consilience.access import check_private
from consilience.exceptions import ConsilienceError, MissingExtraError, TableError
from consilience.sources.delimited import Found
from consilience.sources.source import Kinds, Source
from consilience.sources.spill import spill, write_batches

__all__ = ["check_address", "read_database", "spill_database"]

ROWS_AT_ONCE = 20_000
NO_ROWS = "the query gives no rows."
USER, PASSWORD = "CONSILIENCE_DB_USER", "CONSILIENCE_DB_PASSWORD"
PACKAGES = {
    "postgresql": ("postgresql+psycopg", "psycopg[binary]"),
    "postgres": ("postgresql+psycopg", "psycopg[binary]"),
    "mysql": ("mysql+pymysql", "pymysql"),
    "mariadb": ("mariadb+pymysql", "pymysql"),
    "mssql": ("mssql+pyodbc", "pyodbc"),
    "oracle": ("oracle+oracledb", "oracledb"),
    "sqlite": ("sqlite", ""),
    "duckdb": ("duckdb", "duckdb-engine"),
}
"""Each database, how SQLAlchemy calls it with the driver we name, and the package of the driver."""


def read_database(source: Source, kinds: Kinds) -> Found:
    """Run the query of a source once and return its rows.

    They are written to a file without a name as they arrive, and read from there: a table larger
    than memory is no trouble until it becomes a matrix, and nobody asks the database twice, which
    may have changed in between.

    Parameters
    ----------
    source : Source
        With the address of a database, without a password, and a query.
    kinds : Kinds
        Columns that hold numbers are kept as such, however the database keeps them.

    Raises
    ------
    TableError
        Without the words of the database, which may quote a cell or a password.
    """
    with _in_our_words(source):
        batches, told = _batches(source)
        table = spill(batches, kinds, NO_ROWS, in_memory=source.in_memory)
    return Found(table, told)


def spill_database(source: Source, kinds: Kinds, file: IO[bytes]) -> str:
    """Run the query of a source once, write its rows to a file, and say how they were read."""
    with _in_our_words(source):
        batches, told = _batches(source)
        write_batches(file, batches, kinds, NO_ROWS)
    return told


def _batches(source: Source) -> tuple[Iterator[Any], str]:
    """Return the rows of a query as record batches, and how they are read."""
    address, query = str(source.data), _read_query(source)
    check_address(address)
    if find_spec("pyarrow") is None:
        raise MissingExtraError("reading a database", "pyarrow", "sql")
    stream = _by_adbc if _has_adbc(address) else _by_sqlalchemy
    by = "ADBC" if stream is _by_adbc else "SQLAlchemy"
    told = f"database {urlsplit(address).scheme}, by {by}"
    return stream(address, _login(source.credentials), query), told


@contextmanager
def _in_our_words(source: Source) -> Iterator[None]:
    """Say that a query failed without the words of the database."""
    try:
        yield
    except ConsilienceError:
        raise
    except Exception as error:
        raise TableError(_failure(source, error)) from None


def check_address(address: str) -> None:
    """Refuse an address of an unknown database, or one with a password in it.

    Examples
    --------
    >>> check_address("postgresql://ward.example/patients")
    """
    parts = urlsplit(address)
    if parts.scheme.partition("+")[0] not in PACKAGES:
        raise TableError(
            f"--data is an address of {parts.scheme!r}, must be one of {', '.join(PACKAGES)}."
        )
    if parts.password is not None or "password" in parts.query.lower():
        raise TableError(
            f"--data has a password in it, which others on this machine can see, and the history "
            f"of your shell keeps: change it. Put it into the environment as {PASSWORD}, or into a "
            f"private file named by --credentials."
        )


def _read_query(source: Source) -> str:
    assert source.query is not None, "a database is read by a query"
    return source.query.read_text(encoding="utf-8").strip().rstrip(";")


def _login(credentials: Path | None) -> tuple[str | None, str | None]:
    """Return user and password, from a private file or from the environment."""
    if credentials is None:
        return os.environ.get(USER), os.environ.get(PASSWORD)
    check_private(credentials)
    try:
        given = tomllib.loads(credentials.read_text(encoding="utf-8"))
    except ValueError:
        raise TableError(
            f"{credentials} is damaged: it must hold two lines, user and password, as in "
            f'user = "ward".'
        ) from None
    return given.get("user"), given.get("password")


def _has_adbc(address: str) -> bool:
    return address.startswith(("postgresql://", "postgres://")) and all(
        find_spec(package) is not None
        for package in ("adbc_driver_postgresql", "adbc_driver_manager")
    )


def _by_adbc(address: str, login: tuple[str | None, str | None], query: str) -> Iterator[Any]:
    """Yield the rows of a PostgreSQL as Arrow record batches."""
    from adbc_driver_postgresql import dbapi

    user, password = (None if part is None else quote(part, safe="") for part in login)
    if user is not None:
        parts = urlsplit(address)
        secret = user if password is None else f"{user}:{password}"
        address = parts._replace(netloc=f"{secret}@{parts.netloc.rpartition('@')[2]}").geturl()
    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        yield from cursor.fetch_record_batch()


def _by_sqlalchemy(address: str, login: tuple[str | None, str | None], query: str) -> Iterator[Any]:
    """Yield the rows of any database as Arrow record batches."""
    if find_spec("sqlalchemy") is None:
        raise MissingExtraError("reading a database", "sqlalchemy", "sql")
    import pyarrow as pa
    from sqlalchemy import create_engine, make_url

    url = make_url(address)
    name, package = PACKAGES[url.drivername.partition("+")[0]]
    url = url if "+" in url.drivername else url.set(drivername=name)
    user, password = login
    url = url.set(username=user or url.username, password=password)
    try:
        engine = create_engine(url)
    except (ImportError, LookupError):
        raise TableError(
            f"this database needs a driver: python -m pip install '{package}'."
        ) from None
    if url.drivername == "postgresql+psycopg":
        _ask_for_binary(engine)
    options = {"stream_results": True, "max_row_buffer": ROWS_AT_ONCE, "no_parameters": True}
    try:
        with engine.connect().execution_options(**options) as connection:
            result = connection.exec_driver_sql(query)
            names = list(result.keys())
            for rows in result.partitions(ROWS_AT_ONCE):
                columns = [_arrow(column) for column in zip(*rows, strict=True)]
                yield pa.RecordBatch.from_arrays(columns, names)
    finally:
        engine.dispose()


def _ask_for_binary(engine: Any) -> None:
    """Let psycopg read numbers as they are kept: their texts take five times as long to parse."""
    from psycopg import ServerCursor
    from psycopg.pq import Format
    from sqlalchemy import event

    class BinaryCursor(ServerCursor[Any]):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            self.format = Format.BINARY

    @event.listens_for(engine, "connect")
    def use_it(connection: Any, record: Any) -> None:
        connection.server_cursor_factory = BinaryCursor


def _arrow(cells: tuple[Any, ...]) -> Any:
    """Return a column of cells as Arrow keeps it; cells of several types as texts."""
    import pyarrow as pa

    try:
        return pa.array(cells, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if cell is None else str(cell) for cell in cells])


def _failure(source: Source, error: Exception) -> str:
    """Say what failed by the kind of the error and its public code."""
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlstate", None)
    shown = f"{type(cause).__name__}{f', SQLSTATE {code}' if code else ''}"
    return (
        f"{source.name} could not be run at the database ({shown}). Its own words may quote a cell "
        f"or a password, and are not shown: run the query there by hand."
    )
