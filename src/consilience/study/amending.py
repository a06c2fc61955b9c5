"""Corrections to the columns of a study file, which keep every comment and every other line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from consilience.exceptions import StudyError
from consilience.study.study import Study
from consilience.study.toml import toml_value
from consilience.study.wording import lines_of

__all__ = ["amend_columns"]


def amend_columns(text: str, columns: Mapping[tuple[str, str], Mapping[str, Any]]) -> str:
    """Put other terms in the place of those of some columns, each on its line.

    Parameters
    ----------
    text : str
        The study file.
    columns : mapping of (str, str) to mapping
        By column group and column: its terms, all of them; a column without terms is left out of
        the study.

    Raises
    ------
    StudyError
        If the study would not stand, or a column does not stand on a line of its own.

    Examples
    --------
    >>> text = '''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = { kind = "numeric", bounds = [10, 90] }  # public
    ... weight = { kind = "numeric", bounds = [0, 300] }
    ... '''
    >>> wider = {("lab", "age"): {"kind": "numeric", "bounds": [0, 120]}}
    >>> print(amend_columns(text, wider).splitlines()[4])
    age = { kind = "numeric", bounds = [0, 120] }
    """
    lines, places = text.split("\n"), lines_of(text)
    gone = []
    for (group, column), terms in columns.items():
        number = places.get(("schema", group, column), 0)
        line = lines[number - 1] if number else ""
        if not _is_alone(line, column):
            raise StudyError(
                f"column {column!r} of {group!r} does not stand on a line of its own in the study "
                f"file: correct it there."
            )
        told = ", ".join(f"{name} = {toml_value(value)}" for name, value in terms.items())
        lines[number - 1] = f"{_key(column)} = {{ {told} }}"
        gone += [] if terms else [number - 1]
    amended = "\n".join(line for k, line in enumerate(lines) if k not in gone)
    Study.from_text(amended, "the study as you corrected it")
    return amended


def _is_alone(line: str, column: str) -> bool:
    """Tell whether a line holds all terms of a column, and nothing else."""
    try:
        found = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return False
    return list(found) == [column] and isinstance(found[column], dict)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)
