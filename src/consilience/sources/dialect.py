"""How a text file writes a table: its separator, its decimal sign, its encoding."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO

from consilience.exceptions import TableError

__all__ = ["Dialect", "detect", "open_binary"]

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
DECIMALS = {".": "point", ",": "comma"}
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
SAMPLE_BYTES, SAMPLE_RECORDS = 2**20, 500
PIECE = 2**20

_POINT = re.compile(r"[+-]?\d*\.\d+")
_COMMA = re.compile(r"[+-]?\d*,\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3},\d{3}")


@dataclass(frozen=True)
class Dialect:
    """The writing of a text file; what is None is found out.

    Parameters
    ----------
    separator : str, optional
        Between two cells.
    decimal : str, optional
        Between the whole and the fraction of a number: a point or a comma.
    encoding : str, optional
        As Python names it.
    """

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def told(self, given: Dialect) -> str:
        """Say it in words, with what was given and not found out.

        Examples
        --------
        >>> Dialect(";", ",", "cp1252").told(Dialect(encoding="cp1252"))
        'separator: semicolon, decimal sign: comma, encoding: cp1252 (given)'
        """
        shown = {
            "separator": (SEPARATORS.get(self.separator or "", "as given"), given.separator),
            "decimal sign": (DECIMALS.get(self.decimal or "", "as given"), given.decimal),
            "encoding": (self.encoding, given.encoding),
        }
        return ", ".join(
            f"{what}: {value}{'' if said is None else ' (given)'}"
            for what, (value, said) in shown.items()
        )


def open_binary(path: Path) -> IO[bytes]:
    """Open a file; a ``.gz`` is unpacked on the way."""
    if path.suffix == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")


def detect(path: Path, given: Dialect) -> Dialect:
    """Find out how a text file writes its table; what was given stays as it is.

    Raises
    ------
    TableError
        If it is no text.
    """
    with open_binary(path) as stream:
        head = stream.read(SAMPLE_BYTES)
    encoding = given.encoding or _encoding(path, head)
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise TableError(f"--encoding is {encoding!r}, which Python does not know.") from None
    # A sample may end within a letter, or within a line.
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    lines = text.splitlines() if len(head) < SAMPLE_BYTES else text.splitlines()[:-1]
    separator = given.separator or _separator(lines)
    decimal = given.decimal or _decimal(_records(lines, separator), separator)
    return replace(given, separator=separator, decimal=decimal, encoding=encoding)


def _encoding(path: Path, head: bytes) -> str:
    for mark, name in MARKS.items():
        if head.startswith(mark):
            return name
    if b"\0" in head:
        raise TableError(
            f"{path.name} is no text: it has zero bytes. Save it as CSV, or name it by what it is "
            f"(.parquet, .xlsx); a text in UTF-16 without its mark needs --encoding utf-16-le."
        )
    for name in ("utf-8", "cp1252"):
        if _decodes(path, name):
            return name
    raise TableError(
        f"{path.name} is a text neither in UTF-8 nor in cp1252. Name its encoding with --encoding."
    )


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_binary(path) as stream:
        try:
            while piece := stream.read(PIECE):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _records(lines: list[str], separator: str) -> list[list[str]]:
    return list(islice(_readable(csv.reader(lines, delimiter=separator)), SAMPLE_RECORDS))


def _readable(records: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield records as long as they can be read; a broken quote is told of by who reads it all."""
    try:
        yield from (record for record in records if record)
    except csv.Error:
        return


def _separator(lines: list[str]) -> str:
    """Return what parts most cells, alike in most lines."""
    best, most = ",", 1
    for separator in SEPARATORS:
        records = _records(lines, separator)
        if not records:
            continue
        width = len(records[0])
        alike = sum(len(record) == width for record in records) / len(records)
        if width > most and alike > 0.5:
            best, most = separator, width
    return best


def _decimal(records: list[list[str]], separator: str) -> str:
    """Return the decimal sign of most numbers with a fraction.

    Where commas part cells, 1,234 in quotes is rather a thousand than one and a bit, unless other
    numbers say otherwise.
    """
    cells = [cell.strip() for record in records[1:] for cell in record]
    points = sum(bool(_POINT.fullmatch(cell)) for cell in cells)
    commas = [cell for cell in cells if _COMMA.fullmatch(cell)]
    if separator == "," and all(_THOUSANDS.fullmatch(cell) for cell in commas):
        return "."
    return "," if len(commas) > points else "."
