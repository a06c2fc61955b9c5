"""Studies in words: where two differ, and what is wrong with one, by line and field."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

__all__ = ["MAX_DIFFERENCES", "difference", "explain", "in_short", "lines_of"]

MAX_DIFFERENCES, MAX_SAID, MAX_NAME = 1000, 100, 500
"""Lines that say where studies differ, and characters of a value and of a name."""
LONG, KEPT_WHOLE = 2**14, ("schema",)
"""Characters above which a part of the terms is named by its digest, and those that never are."""


def difference(here: dict[str, Any], there: dict[str, Any]) -> list[str]:
    """Say in words where two studies differ: at most :data:`MAX_DIFFERENCES` places.

    Examples
    --------
    >>> difference({"clustering": {"n_clusters": 3}}, {"clustering": {"n_clusters": 4}})
    ['clustering.n_clusters is 3 here and 4 there']
    """
    mine = dict(_flatten(here))
    lines = []
    for name, theirs in _flatten(there):
        own = mine.pop(name, "not set")
        if own != theirs:
            lines.append(_told(name, own, theirs))
        if len(lines) == MAX_DIFFERENCES:
            return sorted(lines)
    lines += [_told(name, own, "not set") for name, own in mine.items()]
    return sorted(lines)


def in_short(terms: dict[str, Any]) -> dict[str, Any]:
    """Return terms in which long parts are named by their SHA-256: who takes part, with what keys.

    Something goes with every message. With everybody's keys in it, what a thousand institutions
    send to each other would grow with the square of their number.

    Examples
    --------
    >>> in_short({"name": "many", "grid": {"rows": ["a"] * 9999}})["grid"]
    {'sha256': 'bda84f83040f7d306d1a8560c8d13755802d17333323db1e25a1910d7265b7df'}
    """
    short = dict(terms)
    for name, value in terms.items():
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        if len(text) > LONG and name not in KEPT_WHOLE:
            short[name] = {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    return short


def _told(name: str, here: str, there: str) -> str:
    return f"{name[:MAX_SAID]} is {here[:MAX_SAID]} here and {there[:MAX_SAID]} there"


def _flatten(terms: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Name the values of terms one by one; names of no study are cut before they add up."""
    if isinstance(terms, dict) and terms:
        for name, value in terms.items():
            yield from _flatten(value, f"{prefix}.{name}"[:MAX_NAME] if prefix else str(name))
    else:
        yield prefix[:MAX_NAME], json.dumps(terms)


def explain(errors: Sequence[ValidationError], lines: dict[tuple[str, ...], int]) -> str:
    """Write the first problems as sentences with line and field."""
    problems = []
    told = {"include_url": False, "include_context": False, "include_input": False}
    found = [item for error in errors for item in error.errors(**told)]
    for item in found[:5]:
        # Pydantic puts the tag of a union into the location; it is no part of the file.
        tags = {"numeric", "date", "categorical", "ordinal"}
        place = tuple(str(p) for k, p in enumerate(item["loc"]) if not (k == 3 and p in tags))
        reason = item["msg"].removeprefix("Value error, ")
        # A rule between fields names the one to change first.
        named = (*place, *reason.partition(" ")[0].split("."))
        deepest = named if reason != item["msg"] else place
        above = (deepest[:k] for k in range(len(deepest), 0, -1))
        line = next((lines[p] for p in above if p in lines), 0)
        where = f"line {line}, " if line else ""
        problems.append(f"{where}{'.'.join(place) or 'the study'}: {reason}")
    return "; ".join(problems) + "."


_KEY = r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[\w-]+)"
_KEYS = re.compile(rf"\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*=")
_TABLE = re.compile(rf"\s*\[\[?\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*\]\]?\s*(?:#.*)?$")


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """Map each table and key of a TOML text to the line it stands in."""
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        header, key = _TABLE.match(line), _KEYS.match(line)
        if header:
            table = path = _split_key(header.group(1))
            above = 0
        elif key:
            path = (*table, *_split_key(key.group(1)))
            above = len(table)
            for inner in re.findall(r"[{,]\s*([\w-]+)\s*=", line):
                found.setdefault((*path, inner), number)
        else:
            continue
        for depth in range(above + 1, len(path) + 1):
            found.setdefault(path[:depth], number)
    return found


def _split_key(key: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, key))
