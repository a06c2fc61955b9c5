"""Terms as TOML, for a study that a program makes and people read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["to_toml", "toml_value"]


def to_toml(terms: Mapping[str, Any]) -> str:
    """Write plain values as TOML: of each table first its values, then the tables inside it.

    Examples
    --------
    >>> print(to_toml({"name": "a", "grid": {"rows": ["n", "s"], "more": {"x": 1.5}}}))
    name = "a"
    <BLANKLINE>
    [grid]
    rows = ["n", "s"]
    <BLANKLINE>
    [grid.more]
    x = 1.5
    <BLANKLINE>
    """
    return "\n".join(_lines(terms, ())).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    values = {k: v for k, v in table.items() if not isinstance(v, Mapping)}
    tables = {k: v for k, v in table.items() if isinstance(v, Mapping)}
    lines = [f"{_key(k)} = {toml_value(v)}" for k, v in values.items()]
    if path and (lines or not tables):
        lines = ["", f"[{'.'.join(map(_key, path))}]", *lines]
    for name, inner in tables.items():
        lines += _lines(inner, (*path, name))
    return lines


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if plain else toml_value(name)


def toml_value(value: Any) -> str:
    """Write a text, number or list; JSON is TOML but for one character it leaves as it is."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
